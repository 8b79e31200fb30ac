"""The bytes of a trace file: plain or gzip by their content, whatever the name says."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager

from tbprof.errors import TraceNotReadable, TraceTooLarge
from tbprof.safe_open import open_regular
from tbprof.trace.importers.unpacked import (
    MAX_BYTES_VARIABLE,
    Remains,
    Unpacked,
    damage,
    max_trace_bytes,
    unpacked,
)


class ByteSource:
    """The unpacked bytes of one file, in order, with how far it got and what went wrong."""

    def __init__(self, path: str, file: io.FileIO, max_bytes: int | None) -> None:
        """`max_bytes` limits what the file may unpack to; None: `max_trace_bytes` does."""
        self.path = path
        self.total_bytes = os.fstat(file.fileno()).st_size
        """Size on the disk."""
        self.unpacked_bytes = 0
        self.damaged = False
        """Whether the gzip stream ended before its end or failed its check."""
        self._file = file
        self._max_bytes = max_trace_bytes(self.total_bytes) if max_bytes is None else max_bytes
        self._stream: Unpacked = unpacked(file)
        self._damage = damage()

    @property
    def read_bytes(self) -> int:
        """How many bytes of the file on the disk have been read."""
        return min(self._file.tell(), self.total_bytes)

    def readinto(self, buffer: memoryview) -> int:
        """Fill the front of `buffer`; how many bytes there are now, 0 at the end.

        Raises:
            TraceTooLarge: more than `max_bytes` came out.
            TraceNotReadable: the disk failed.
        """
        try:
            count = self._read_some(buffer)
        except OSError as error:
            raise _not_readable(self.path, error) from error
        self.unpacked_bytes += count
        if self.unpacked_bytes > self._max_bytes:
            raise TraceTooLarge(
                f"{self.path} unpacks to more than {self._max_bytes:,} bytes: record fewer steps, "
                f"or set {MAX_BYTES_VARIABLE} to more."
            )
        return count

    def _read_some(self, buffer: memoryview) -> int:
        try:
            return self._stream.readinto(buffer)
        except self._damage:
            self.damaged = True
            self._stream = Remains(self._file, self.unpacked_bytes)
            return self._stream.readinto(buffer)


def _not_readable(path: str, error: OSError) -> TraceNotReadable:
    reason = error.strerror or "the disk gave no reason"
    return TraceNotReadable(f"{path} can't be read ({reason}): check the path and its permissions.")


def shown_path(path: str | os.PathLike[str]) -> str:
    """`path` as text that can be printed, whatever bytes the file's name has."""
    return os.fspath(path).encode("utf-8", "backslashreplace").decode()


@contextmanager
def open_source(path: str | os.PathLike[str], max_bytes: int | None = None) -> Iterator[ByteSource]:
    """The bytes of the regular file at `path`; it may unpack to `max_bytes`, None: to `max_trace_bytes`.

    Raises:
        TraceNotReadable: it is missing, not permitted, no regular file, or the disk failed.
    """
    shown = shown_path(path)
    try:
        file = open_regular(path)
    except (OSError, ValueError) as error:
        reason = error if isinstance(error, OSError) else OSError(0, str(error))
        raise _not_readable(shown, reason) from error
    with file:
        try:
            source = ByteSource(shown, file, max_bytes)
        except OSError as error:
            raise _not_readable(shown, error) from error
        yield source
