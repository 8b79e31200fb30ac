"""A file by which a running training is asked for a window: `<run>/tbprof.trigger`."""

from __future__ import annotations

import logging
import os
import re
from dataclasses import dataclass
from pathlib import Path

from tbprof.process.beside import BoundedCalls
from tbprof.safe_open import open_regular

logger = logging.getLogger("tbprof")

TRIGGER_NAME = "tbprof.trigger"

MOST_STEPS = 100
"""Steps that a window can be asked for: its file grows with them."""

PATIENCE_S = 0.1
"""A look takes some 0.1 ms. The training waits so long for one, and for no other until that is over."""

_LONGEST_TEXT = 200

_REQUEST = re.compile(
    r"(?P<steps>\d{1,9})?\s*(?:ranks=(?P<ranks>\d{1,9}(?:,\d{1,9})*))?\s*(?:at=(?P<at>\d{1,15}))?"
)


@dataclass(frozen=True, slots=True)
class Request:
    """A window that is wanted besides those of the schedule."""

    steps: int
    """How many steps it records."""
    begun_by: str
    """"trigger" or "slow_step"."""
    first_step: int = 0
    """The number of its first recorded step; past ones mean as soon as possible."""


class Trigger:
    """Sees a file that was written since the last look; what was there before the run counts as seen.

    Its text is the number of steps, the ranks that are meant and the first step to record, each
    of which may be missing: `5 ranks=0,3 at=12000`. The file is only ever read: every rank sees
    it, and to ask again is to write it again.
    """

    def __init__(self, run_folder: Path, rank: int) -> None:
        self._path = run_folder / TRIGGER_NAME
        self._rank = rank
        self._calls = BoundedCalls()
        self._has_complained = False
        self._is_first_look = True
        self._seen: int | None = None
        self._written_text()

    def request(self, default_steps: int) -> Request | None:
        """What a new file asks of this rank; None without a new one."""
        text = self._written_text()
        return None if text is None else self._read(text, default_steps)

    def _written_text(self) -> str | None:
        """What was written since the last look; None where nothing was, or where nobody can say now."""
        try:
            found = self._calls.call(PATIENCE_S, self._look)
        except TimeoutError:
            self._complain()
            return None
        except OSError:
            found = None
        is_first, self._is_first_look = self._is_first_look, False
        written = None if found is None else found[0]
        if found is None or written == self._seen:
            return None
        self._seen = written
        return None if is_first else found[1]

    def _look(self) -> tuple[int, str]:
        """When it was written, and its text, if it is new.

        Whoever may write to the folder can put a pipe there, or a link to another's file.
        """
        with open_regular(self._path, follows_links=False) as file:
            written = os.fstat(file.fileno()).st_mtime_ns
            text = b"" if written == self._seen else file.read(_LONGEST_TEXT)
        return written, text.decode("utf-8", errors="replace").strip()

    def _complain(self) -> None:
        if not self._has_complained:
            self._has_complained = True
            logger.warning(
                "The file system of %s does not answer. The training does not wait for it; until it does, no"
                " window can be asked for.",
                self._path,
            )

    def _read(self, text: str, default_steps: int) -> Request | None:
        asked = _REQUEST.fullmatch(text)
        steps = 0 if asked is None else int(asked["steps"] or default_steps)
        if asked is None or not 0 < steps <= MOST_STEPS:
            logger.warning(
                "%s asks for %r; write a number of steps from 1 to %d, and if need be the ranks that are"
                " meant and the first step: 5 ranks=0,3 at=12000.",
                self._path,
                text,
                MOST_STEPS,
            )
            return None
        if asked["ranks"] is not None and str(self._rank) not in asked["ranks"].split(","):
            return None
        return Request(steps, "trigger", int(asked["at"] or 0))
