"""Where a command prints: to stdout, or to a file that somebody named."""

from __future__ import annotations

from contextlib import ExitStack, nullcontext
from pathlib import Path
from types import TracebackType
from typing import TextIO

from tbprof.errors import UsageError
from tbprof.remote.stand_ins import addressed
from tbprof.standard_streams import flush_output, put, reader_may_leave

__all__ = ["Output"]


class Output:
    """Takes text piece by piece; a file is opened for the first of them."""

    def __init__(self, path: Path | None, *, ends_with_reader: bool = False) -> None:
        """Nothing is opened yet.

        Args:
            path: The file; None is stdout.
            ends_with_reader: Whether nothing is left to do once the reader of stdout has seen enough.
        """
        self._path = path
        self._ends_with_reader = ends_with_reader
        self._file: TextIO | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Output:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

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
        try:
            if self._file is None:
                opened = self._path.open("w", encoding="utf-8", newline="\n")
                self._file = self._stack.enter_context(opened)
            self._file.write(text)
            self._file.flush()
        except OSError as error:
            sentence = f"{self._path} can't be written ({error.strerror}): name another file"
            raise UsageError(sentence) from error
