"""The streams beneath a trace's source: plain, packed, and what a damaged packed file still gives."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, BinaryIO, Protocol, cast

from tbprof.errors import UsageError

_GZIP_MAGIC = b"\x1f\x8b"
_INPUT_BYTES = 64 * 1024
_MEMBER_INPUT_BYTES = 16 * 1024
"""Unpacked it fits a processor's cache."""
_PIECE_BYTES = 512 * 1024
"""Most of one piece: the input may unpack a thousandfold."""


class Unpacked(Protocol):
    """What a source needs of a stream: fill a buffer, say how much; 0 is the end."""

    def readinto(self, buffer: memoryview, /) -> int: ...


def unpacked(file: io.FileIO) -> Unpacked:
    """The bytes of a file that is plain or gzip by its content."""
    magic = file.read(len(_GZIP_MAGIC))
    file.seek(0)
    if magic != _GZIP_MAGIC:
        return cast(Unpacked, file)
    igzip = _igzip()
    return _Members(file) if igzip is None else _Igzip(igzip.open(file, "rb"))


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


class _Igzip:
    """What `igzip` unpacks, without the copy of every byte that `readinto` of its files makes."""

    def __init__(self, file: Any) -> None:
        # Collected as garbage, the file would close what is read from here.
        self._file = file
        self.readinto: Callable[[memoryview], int] = getattr(file, "_buffer", file).readinto


class _Members:
    """The members of a gzip file, by the standard library, whose own reader copies each byte twice more."""

    def __init__(self, file: io.FileIO) -> None:
        self._pieces = _pieces(file)
        self._piece = memoryview(b"")

    def readinto(self, buffer: memoryview) -> int:
        self._piece = self._piece or memoryview(next(self._pieces, b""))
        count = min(len(buffer), len(self._piece))
        buffer[:count] = self._piece[:count]
        self._piece = self._piece[count:]
        return count


def _pieces(file: io.FileIO) -> Iterator[bytes]:
    """Member after member; zeros between and after them are padding.

    Raises:
        EOFError: the last member is not whole.
        zlib.error: damage, or something else after a member.
    """
    inflater = zlib.decompressobj(wbits=31)
    packed = b""
    while packed := packed or file.read(_MEMBER_INPUT_BYTES) or b"":
        if inflater.eof:
            packed = packed.lstrip(b"\0")
            if not packed:
                continue
            inflater = zlib.decompressobj(wbits=31)
        piece = inflater.decompress(packed, _PIECE_BYTES)
        packed = inflater.unconsumed_tail or inflater.unused_data
        if piece:
            yield piece
    if not inflater.eof:
        raise EOFError


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

    def readinto(self, buffer: memoryview) -> int:
        while piece := self._inflate(len(buffer)):
            kept = piece[self._to_skip :]
            self._to_skip -= len(piece) - len(kept)
            if kept:
                buffer[: len(kept)] = kept
                return len(kept)
        return 0

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


MOST_MAX_BYTES = 16 * 1024**3
LEAST_MAX_BYTES = 128 * 1024**2
DENSEST = 100
"""Real traces unpack to 13 to 20 times their size, what was made to harm to up to a thousand times."""
MAX_BYTES_VARIABLE = "TBPROF_MAX_TRACE_BYTES"


def max_trace_bytes(packed_bytes: int) -> int:
    """What a file of `packed_bytes` may unpack to.

    That is what the environment variable says, else 100 times the file's size, but not less than
    128 MiB and not more than 16 GiB.

    Raises:
        UsageError: it is set and holds no whole number above 0.
    """
    chosen = os.environ.get(MAX_BYTES_VARIABLE)
    if not chosen:
        return min(max(DENSEST * packed_bytes, LEAST_MAX_BYTES), MOST_MAX_BYTES)
    try:
        limit = int(chosen)
    except ValueError:
        limit = 0
    if limit <= 0:
        raise UsageError(f"{MAX_BYTES_VARIABLE} is {chosen!r}: set it to a number of bytes, or not at all")
    return limit
