"""Where a command prints: to stdout, or to a file that somebody named."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from tbprof.errors import UsageError
from tbprof.escaping import plain
from tbprof.records import dataclass
from tbprof.remote.placeholders import addressed
from tbprof.standard_streams import discard, flush_output, put, reader_may_leave, with_plain_spaces


class Output:
    """Takes text piece by piece; a file is begun with the first of them.

    It has its name once all is written: an earlier one stays as it is until then, and where anything fails.
    """

    def __init__(self, path: Path | None, *, ends_with_reader: bool = False) -> None:
        """Nothing is opened yet.

        Args:
            path: The file; None is stdout.
            ends_with_reader: Whether nothing is left to do once the reader of stdout has seen enough.
        """
        self._path = path
        self._ends_with_reader = ends_with_reader
        self._file: BinaryIO | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Output:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._saying_why():
            self._stack.__exit__(kind, error, trace)

    def put(self, text: str) -> None:
        """Write a piece, at once. Where there is more to do than print, the reader may leave.

        Raises:
            UsageError: The file can't be written.
            OutputError: Nor can stdout.
            BrokenPipeError: The reader of stdout left, and that is the end.
        """
        text = addressed(text)
        if self._path is None:
            with nullcontext() if self._ends_with_reader else reader_may_leave():
                put(text)
                flush_output()
            return
        with self._saying_why():
            if self._file is None:
                self._file = self._stack.enter_context(_begun(self._path))
            # A browser breaks a line at a plain space.
            is_page = self._path.suffix in (".html", ".htm")
            self._file.write((text if is_page else with_plain_spaces(text)).encode())

    @contextmanager
    def _saying_why(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if self._path is None:
                raise
            sentence = f"{self._path} can't be written ({error.strerror}): name another file"
            raise UsageError(sentence) from error


def _begun(path: Path) -> AbstractContextManager[BinaryIO]:
    """Aside, where the name is new or that of a file; what is no such file is written to itself.

    So is one in a folder that takes no other file, and one that another is mounted on.
    """
    # What prints to stdout needs none of it.
    from tbprof.store.files import appearing

    # A link stays one, and what it leads to is written.
    file = Path(os.path.realpath(path))
    is_new = not _is_there(path)
    if is_new or (path.is_file() and os.access(file.parent, os.W_OK) and not os.path.ismount(file)):
        return appearing(file, like=None if is_new else file)
    return path.open("wb")


def _is_there(path: Path) -> bool:
    """Whatever it is.

    Raises:
        OSError: That can't be said, as of a link that leads back to itself.
    """
    try:
        path.stat()
    except FileNotFoundError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a file gave nothing, or what a run lacks: said on stderr, and a part of what is printed as JSON."""

    path: str
    """The path of the file, or of the run's folder."""
    sentence: str
    names_path: bool = False
    """Whether the sentence does so itself, as those of errors do."""

    @property
    def notice(self) -> str:
        """The problem as one sentence for people."""
        return self.sentence if self.names_path else f"{self.path}: {self.sentence}"

    def document(self) -> dict[str, str]:
        """The problem as JSON has it."""
        return {"path": self.path, "sentence": self.sentence}


def tell(sentence: str) -> None:
    """Say one sentence, as one line. Where stderr can't be written to, nothing is said."""
    try:
        said = f"tbprof: {plain(addressed(sentence))}\n"
        sys.stderr.write(said if sys.stderr.isatty() else with_plain_spaces(said))
        sys.stderr.flush()
    except OSError:
        discard(sys.stderr)
