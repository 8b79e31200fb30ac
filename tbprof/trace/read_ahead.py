"""A gzip file that the standard library unpacks while what it gave before is decoded."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

__all__ = ["ReadAhead"]

_INPUT_BYTES = 64 * 1024
_PIECE_BYTES = 2 * 1024 * 1024
"""Most that is unpacked ahead. Smaller pieces would ask for the interpreter's lock more often."""


class ReadAhead:
    """The unpacked bytes of a file, a piece ahead by a thread: zlib needs no lock of the interpreter."""

    def __init__(self, file: io.FileIO) -> None:
        self.read_bytes = 0
        """How much of the file went into what was delivered."""
        self._pieces = _pieces(file)
        self._thread = ThreadPoolExecutor(1, "tbprof-unpack")
        self._piece = memoryview(b"")
        self._next = self._thread.submit(next, self._pieces, None)

    def readinto(self, buffer: memoryview) -> int:
        """Fill the front of `buffer`; how many bytes there are now, 0 at the end.

        Raises:
            EOFError: the last member is not whole.
            zlib.error: damage, or something else behind a member.
        """
        if not self._piece:
            piece = self._next.result()
            if piece is None:
                return 0
            self._next = self._thread.submit(next, self._pieces, None)
            self._piece, self.read_bytes = memoryview(piece.content), piece.read_bytes
        count = min(len(buffer), len(self._piece))
        buffer[:count] = self._piece[:count]
        self._piece = self._piece[count:]
        return count

    def close(self) -> None:
        """End the thread; the file stays open."""
        self._thread.shutdown()


@dataclass(frozen=True, slots=True)
class _Piece:
    content: bytes
    read_bytes: int
    """Where in the file the reading stood then."""


def _pieces(file: io.FileIO) -> Iterator[_Piece]:
    """Member after member; zeros between and behind them are padding."""
    inflater = zlib.decompressobj(wbits=31)
    packed = b""
    while packed := packed or file.read(_INPUT_BYTES) or b"":
        if inflater.eof:
            packed = packed.lstrip(b"\0")
            if not packed:
                continue
            inflater = zlib.decompressobj(wbits=31)
        content = inflater.decompress(packed, _PIECE_BYTES)
        packed = inflater.unconsumed_tail or inflater.unused_data
        if content:
            yield _Piece(content, file.tell())
    if not inflater.eof:
        raise EOFError
