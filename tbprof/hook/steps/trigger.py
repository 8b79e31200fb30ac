"""A file by which a running training is asked for a window: `<run>/tbprof.trigger`."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["TRIGGER_NAME", "Request", "Trigger"]

logger = logging.getLogger("tbprof")

TRIGGER_NAME = "tbprof.trigger"

MOST_STEPS = 100
"""Steps that a window can be asked for: its file grows with them."""

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
        self._seen = self._written_at_ns()

    def request(self, default_steps: int) -> Request | None:
        """What a new file asks of this rank; None without a new one."""
        written = self._written_at_ns()
        if written is None or written == self._seen:
            return None
        self._seen = written
        return self._read(default_steps)

    def _written_at_ns(self) -> int | None:
        try:
            return self._path.stat().st_mtime_ns
        except OSError:
            return None

    def _read(self, default_steps: int) -> Request | None:
        try:
            with self._path.open("rb") as file:
                text = file.read(_LONGEST_TEXT).decode("utf-8", errors="replace").strip()
        except OSError:
            return None
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
