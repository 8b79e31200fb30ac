"""The streams beneath a trace's source: plain, packed, and what a damaged packed file still gives."""

from __future__ import annotations

import gzip
import io
import zlib
from dataclasses import dataclass
from importlib import import_module
from typing import Any, BinaryIO, Protocol, cast

__all__ = ["Remains", "Unpacked", "damage", "open_gzip_writer", "unpacked"]

_GZIP_MAGIC = b"\x1f\x8b"
_INPUT_BYTES = 64 * 1024


class Unpacked(Protocol):
    """The unpacked bytes of a file, in order."""

    @property
    def read_bytes(self) -> int:
        """How much of the file went into what was delivered; what was delivered alone decides it."""

    def readinto(self, buffer: memoryview, /) -> int:
        """Fill the front of `buffer`; how many bytes there are now, 0 at the end."""

    def close(self) -> None:
        """Leave the file alone; it stays open."""


def unpacked(file: io.FileIO) -> Unpacked:
    """The bytes of a file that is plain or gzip by its content."""
    magic = file.read(len(_GZIP_MAGIC))
    file.seek(0)
    if magic != _GZIP_MAGIC:
        return _Straight(file, file)
    igzip = _igzip()
    if igzip is None:
        # Not needed elsewhere, and its imports take as long as those of the rest of the reader.
        from tbprof.trace.read_ahead import ReadAhead

        return ReadAhead(file)
    return _Straight(file, igzip.open(file, "rb"))


def open_gzip_writer(file: BinaryIO, level: int) -> BinaryIO:
    """A gzip stream into `file`; closing it leaves `file` open."""
    return cast(BinaryIO, (_igzip() or gzip).open(file, "wb", compresslevel=level))


def damage() -> tuple[type[Exception], ...]:
    """What reading a damaged gzip stream raises."""
    errors = (EOFError, gzip.BadGzipFile, zlib.error)
    return errors if _igzip() is None else (*errors, import_module("isal.isal_zlib").error)


def _igzip() -> Any:
    """`isal.igzip`, which unpacks 3.5 times faster than the standard library; None where it is missing."""
    try:
        return import_module("isal.igzip")
    except ImportError:
        return None


@dataclass(frozen=True, slots=True)
class _Straight:
    """A stream that reads the file when it is asked."""

    file: io.FileIO
    stream: Any

    @property
    def read_bytes(self) -> int:
        return self.file.tell()

    def readinto(self, buffer: memoryview) -> int:
        return cast(int, self.stream.readinto(buffer))

    def close(self) -> None:
        """Nothing is held but the file."""


class Remains:
    """What a damaged gzip file still gives: member after member, up to the broken byte.

    The fast readers lose what they had unpacked when they meet the damage, so this one
    starts again from the front and skips what was delivered already.
    """

    def __init__(self, file: io.FileIO, delivered_bytes: int) -> None:
        file.seek(0)
        self._file = file
        self._inflater = zlib.decompressobj(wbits=31)
        self._input = b""
        self._step_bytes = _INPUT_BYTES
        self._to_skip = delivered_bytes

    @property
    def read_bytes(self) -> int:
        return self._file.tell()

    def readinto(self, buffer: memoryview) -> int:
        while piece := self._inflate(len(buffer)):
            kept = piece[self._to_skip :]
            self._to_skip -= len(piece) - len(kept)
            if kept:
                buffer[: len(kept)] = kept
                return len(kept)
        return 0

    def close(self) -> None:
        """Nothing is held but the file."""

    def _inflate(self, limit_bytes: int) -> bytes:
        while self._step_bytes:
            if self._inflater.eof:
                self._inflater = zlib.decompressobj(wbits=31)
            self._input = self._input or self._file.read(_INPUT_BYTES) or b""
            if not self._input:
                break
            piece = self._inflate_step(limit_bytes)
            if piece:
                return piece
        return b""

    def _inflate_step(self, limit_bytes: int) -> bytes:
        """Feed one step; where it holds the broken byte, go back and halve the steps until it is alone."""
        fed, rest = self._input[: self._step_bytes], self._input[self._step_bytes :]
        before = self._inflater.copy()
        try:
            piece = self._inflater.decompress(fed, limit_bytes)
        except zlib.error:
            self._inflater = before
            self._step_bytes = len(fed) // 2
            return b""
        self._input = self._inflater.unconsumed_tail + self._inflater.unused_data + rest
        return piece
