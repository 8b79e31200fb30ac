"""Where a command prints: to stdout, or to a file that somebody named."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TextIO

from tbprof.errors import UsageError
from tbprof.remote.stand_ins import addressed
from tbprof.standard_streams import put, reader_may_leave

__all__ = ["Output"]


class Output:
    """Takes text piece by piece; a file is opened for the first of them."""

    def __init__(self, path: Path | None) -> None:
        """Nothing is opened yet; no path is stdout."""
        self._path = path
        self._file: TextIO | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Output:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def put(self, text: str) -> None:
        """Write a piece, at once. A reader of stdout may leave: the exit code counts.

        Raises:
            UsageError: The file can't be written.
            OutputError: Nor can stdout.
        """
        text = addressed(text)
        if self._path is None:
            with reader_may_leave():
                put(text)
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
