"""The session that people and agents share: what was asked, proposed, proved, measured and decided.

Lines of JSON in `.tbprof/session.jsonl` below the project, only ever added to.
"""

from __future__ import annotations

import contextlib
import json
from datetime import datetime, timezone
from pathlib import Path

from tbprof.errors import UsageError
from tbprof.escaping import plain
from tbprof.safe_open import add_line, content_within

KINDS = ("question", "proposal", "proof", "measurement", "accept", "reject")

_MOST_BYTES = 1 << 20


class Session:
    """The session of the project in a folder."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / ".tbprof" / "session.jsonl"

    def add(self, kind: str, text: str, by: str) -> None:
        """Add a line.

        Args:
            kind: One of `KINDS`.
            text: What is to be known of it.
            by: Who says it: a person or an agent.

        Raises:
            UsageError: It can't be written, or the kind is another.
        """
        if kind not in KINDS:
            raise UsageError(f"{kind!r} is no kind of note: give {', '.join(KINDS)}")
        now = datetime.now(timezone.utc).isoformat(timespec="seconds")
        try:
            self._file.parent.mkdir(exist_ok=True)
            add_line(self._file, json.dumps({"at": now, "by": by, "kind": kind, "text": text}))
        except OSError as error:
            raise UsageError(f"{self._file} can't be written ({error.strerror})") from error

    def text(self, last: int) -> str:
        """The last lines for people; what is no line of a session is left out.

        Raises:
            UsageError: There is none, or it is larger than a session gets.
        """
        try:
            lines = content_within(self._file, _MOST_BYTES).decode("utf-8", "replace").splitlines()
        except FileNotFoundError:
            raise UsageError(f"there is no session yet: the first note begins {self._file}") from None
        except OSError as error:
            raise UsageError(f"{self._file} can't be read ({error})") from error
        shown = list[str]()
        for line in lines:
            with contextlib.suppress(ValueError, KeyError, TypeError):
                note = json.loads(line)
                shown.append(plain(f"{note['at']}  {note['kind']:<11} {note['by']}: {note['text']}"))
        return "\n".join(shown[-last:])
