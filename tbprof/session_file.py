"""The session that people and agents share: what was asked, proposed, proved, measured and decided.

Lines of JSON in `.tbprof/session.jsonl` below the project, only ever added to.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

from tbprof.errors import UsageError
from tbprof.escaping import plain
from tbprof.records import dataclass
from tbprof.safe_open import add_line, content_within

KINDS = ("question", "proposal", "proof", "measurement", "accept", "reject")

_MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Note:
    at: str
    """ISO 8601, in UTC."""
    by: str
    """A person, an agent, or tbprof itself."""
    kind: str
    text: str
    code: tuple[str, ...] = ()
    """The lines of the program that it is about, as they are written there, without their indent."""


class Session:
    """The session of the project in a folder."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / ".tbprof" / "session.jsonl"

    def add(self, kind: str, text: str, by: str, code: Sequence[str] = ()) -> None:
        """Add a line.

        Args:
            kind: One of `KINDS`.
            text: What is to be known of it.
            by: Who says it: a person or an agent.
            code: The lines of the program that it is about.

        Raises:
            UsageError: It can't be written, or the kind is another.
        """
        if kind not in KINDS:
            raise UsageError(f"{kind!r} is no kind of note: give {', '.join(KINDS)}")
        now = datetime.now(timezone.utc).isoformat(timespec="seconds")
        try:
            self._file.parent.mkdir(exist_ok=True)
            about = {"code": code} if code else {}
            add_line(self._file, json.dumps({"at": now, "by": by, "kind": kind, "text": text, **about}))
        except OSError as error:
            raise UsageError(f"{self._file} can't be written ({error.strerror})") from error

    def notes(self) -> tuple[Note, ...]:
        """All notes, oldest first; what is no line of a session is left out.

        Raises:
            UsageError: There is none, or it is larger than a session gets.
        """
        try:
            lines = content_within(self._file, _MOST_BYTES).decode("utf-8", "replace").splitlines()
        except FileNotFoundError:
            raise UsageError(f"there is no session yet: the first note begins {self._file}") from None
        except OSError as error:
            raise UsageError(f"{self._file} can't be read ({error})") from error
        notes = list[Note]()
        for line in lines:
            with contextlib.suppress(ValueError, KeyError, TypeError):
                said = json.loads(line)
                at, by, kind, text = (plain(str(said[name])) for name in ("at", "by", "kind", "text"))
                code = tuple(plain(str(line)) for line in said.get("code", ()))
                notes.append(Note(at, by, kind, text, code))
        return tuple(notes)

    def text(self, last: int) -> str:
        """The last lines for people.

        Raises:
            UsageError: There is none, or it is larger than a session gets.
        """
        return "\n".join(
            f"{note.at}  {note.kind:<11} {note.by}: {note.text}" for note in self.notes()[-last:]
        )

    def exists(self) -> bool:
        """Whether it has been begun."""
        return self._file.is_file()


def note_result(kind: str, text: str, code: Sequence[str] = ()) -> None:
    """Add what a command found to the session of the folder that it runs in, where somebody began one.

    Args:
        kind: One of `KINDS`.
        text: What it found.
        code: The lines of the program that it is about.
    """
    session = Session(Path())
    with contextlib.suppress(UsageError):
        # What was asked for has been printed.
        if session.exists():
            session.add(kind, text, by="tbprof", code=code)


def session_beside(log_directory: Path) -> Session | None:
    """The session of a log directory, or of the project that it lies in; None where nobody began one."""
    sessions = (Session(log_directory), Session(log_directory.absolute().parent))
    return next((session for session in sessions if session.exists()), None)
