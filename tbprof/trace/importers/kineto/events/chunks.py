"""The event array of a file in chunks that end between two events, from one reused buffer."""

from __future__ import annotations

from tbprof.errors import NotATrace
from tbprof.records import dataclass
from tbprof.trace.importers.kineto.events.batch import (
    ARRAY_START,
    EVENT_START,
    FIRST_EVENT,
    SPACE,
    Boundary,
    learn_boundary,
)
from tbprof.trace.importers.source import ByteSource

MAX_EVENT_BYTES = 8 * 1024 * 1024
"""A longer event is dropped and counted. The longest seen in real traces has 60 KB."""
MAX_SKIPPED_BYTES = 256 * 1024 * 1024
"""After so much that is no event, nothing is looked for any more: a file may unpack to anything."""
MAX_METADATA_BYTES = 12 * 1024 * 1024
"""Limit for what stands before the array, and for what stands after it."""

_BOM = b"\xef\xbb\xbf"
_LAST_EVENT, _LAST_EVENT_BYTES = b'"Record Window End"', 1024
"""What the profiler writes after all others, and more than it and its line take."""
_OPEN, _CLOSE, _COMMA = b"[],"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of the event array; its memory is reused, so decode it before the next one."""

    array: memoryview
    """`[`, the events, and one byte more: `]` if `bounded`."""
    bounded: bool
    """Whether it was cut after a whole event. If not, it is all that there is so far."""
    last: bool
    """Whether the file ends here."""
    full: bool
    """Whether it is as long as one can be: if nothing of it is used, its front is skipped."""

    @property
    def events(self) -> bytes:
        """A copy of the bytes between the brackets."""
        return bytes(self.array[1:-1])


class EventStream:
    """Cuts the event array of one file. Ask for a chunk, decode it, say how much was used."""

    def __init__(self, source: ByteSource, chunk_bytes: int) -> None:
        """`chunk_bytes` is the size of the buffer; it grows where one event is longer.

        Raises:
            NotATrace: the file has no event array.
        """
        self.oversized_events = 0
        self.ended = False
        """Whether the closing bracket of the array was met."""
        self.has_last_event = False
        """Whether what the profiler writes last stands at the end of the file, or shortly before it."""
        self._source = source
        self._buffer = bytearray(chunk_bytes + 2)
        # One byte is kept free on either side for the brackets that make a chunk an array.
        self._start = self._end = 1
        self._at_end = False
        self._boundary: Boundary | None = None
        self._skipping = False
        self._skipped_bytes = 0
        self.head = self._read_head()
        """What stands before the array, without its opening bracket."""

    def next_chunk(self) -> Chunk | None:
        """The next events, None when there are no more."""
        if self.ended:
            return None
        self._fill()
        while self._skipping:
            self._skip_to_event()
            self._fill()
            if self._at_end and self._start == self._end:
                break
        if self._start == self._end:
            return None
        if self._at_end:
            # What is left of a file may be shorter than that, and a place below 0 counts from the end.
            start = max(self._start, self._end - _LAST_EVENT_BYTES)
            self.has_last_event = self._buffer.find(_LAST_EVENT, start, self._end) >= 0
        cut = None if self._at_end else self._last_comma()
        end = self._end if cut is None else cut
        self._buffer[self._start - 1] = _OPEN
        if cut is not None:
            self._buffer[cut] = _CLOSE
        array = memoryview(self._buffer)[self._start - 1 : end + 1]
        return Chunk(array, bounded=cut is not None, last=self._at_end, full=self._is_full)

    def consume(self, chunk: Chunk, used_bytes: int, *, ended: bool) -> None:
        """Say that the first `used_bytes` of the chunk's events are done with.

        `ended` if the array closes right after them. With nothing used the next chunk
        is longer, until the limit of one event is reached.
        """
        if chunk.bounded:
            self._buffer[self._start + len(chunk.array) - 2] = _COMMA
        self._start += used_bytes
        self.ended = ended
        if used_bytes or ended:
            return
        if self._at_end:
            self._start = self._end
        elif self._is_full:
            self._drop_oversized()
        else:
            self._grow()

    @property
    def position(self) -> int:
        """How many unpacked bytes of the file are done with."""
        return self._source.unpacked_bytes - (self._end - self._start)

    @property
    def _is_full(self) -> bool:
        return len(self._buffer) >= MAX_EVENT_BYTES

    def read_tail(self) -> bytes:
        """What stands after the array, from its closing bracket on; empty if it never closed."""
        if not self.ended:
            return b""
        while not self._at_end and self._end - self._start < MAX_METADATA_BYTES:
            self._grow()
            self._fill()
        return bytes(self._buffer[self._start : self._end])

    def _read_head(self) -> bytes:
        while True:
            self._fill()
            self._skip_blanks()
            if self._buffer[self._start : self._start + 1] == b"[":
                self._start += 1
                return b""
            match = ARRAY_START.search(self._buffer, self._start, self._end)
            if match is None and (self._at_end or self._end - self._start > MAX_METADATA_BYTES):
                match = FIRST_EVENT.search(self._buffer, self._start, self._end)
                if match is None:
                    raise self._no_events()
            if match is not None:
                head = bytes(self._buffer[self._start : match.end()]).removesuffix(b"[")
                self._start = match.end()
                return head
            self._grow()

    def _no_events(self) -> NotATrace:
        path = self._source.path
        if self._source.unpacked_bytes == 0:
            return NotATrace(f"{path} is empty: nothing was written to it. Record again.")
        words = foreign_content(bytes(self._buffer[self._start : min(self._end, self._start + HEAD_BYTES)]))
        if words is not None:
            return NotATrace(f"{path} {words}.")
        return NotATrace(f'{path} has no "traceEvents": name a file that torch.profiler wrote.')

    def _skip_blanks(self) -> None:
        if self._buffer.startswith(_BOM, self._start):
            self._start += len(_BOM)
        held = bytes(self._buffer[self._start : self._start + 1])
        while held and held in SPACE:
            if self._source.unpacked_bytes > MAX_METADATA_BYTES:
                raise self._no_events()
            rest = self._buffer[self._start : self._end]
            self._start = self._end - len(rest.lstrip(SPACE))
            self._fill()
            held = bytes(self._buffer[self._start : self._start + 1]) if self._start < self._end else b""

    def _fill(self) -> None:
        """Move what is left to the front and read until the buffer is full or the file ends."""
        left = self._end - self._start
        self._buffer[1 : 1 + left] = self._buffer[self._start : self._end]
        self._start, self._end = 1, 1 + left
        with memoryview(self._buffer) as view:
            while not self._at_end and self._end < len(self._buffer) - 1:
                count = self._source.readinto(view[self._end : -1])
                self._at_end = count == 0
                self._end += count

    def _last_comma(self) -> int | None:
        if self._boundary is not None:
            cut = self._boundary.last(self._buffer, self._start, self._end)
            if cut is not None:
                return cut
        self._boundary = learn_boundary(self._buffer, self._start, self._end)
        if self._boundary is None:
            return None
        return self._boundary.last(self._buffer, self._start, self._end)

    def _grow(self) -> None:
        # One event may fill `MAX_EVENT_BYTES`; only what stands before or after the array may be longer.
        size = len(self._buffer)
        larger = bytearray(2 * size if self._is_full else min(2 * size, MAX_EVENT_BYTES + 2))
        with memoryview(self._buffer) as view:
            larger[: self._end] = view[: self._end]
        self._buffer = larger

    def _drop_oversized(self) -> None:
        self.oversized_events += 1
        self._skipping = True
        self._skip_to_event()

    def _skip_to_event(self) -> None:
        held = self._start, self._end
        # Where one of these bytes is missing, no event begins; to see that takes no time.
        is_noise = self._buffer.find(b"{", *held) < 0 or (
            self._buffer.find(b",", *held) < 0 and self._buffer.find(b"[", *held) < 0
        )
        match = None if is_noise else EVENT_START.search(self._buffer, *held)
        self._skipping = match is None
        start = self._end if match is None else match.start(1)
        self._skipped_bytes += start - self._start
        self._start = start
        if self._skipped_bytes > MAX_SKIPPED_BYTES:
            self._start, self._at_end = self._end, True


HEAD_BYTES = 512
"""The number of bytes that are looked at."""

_TAR, _TAR_AT = b"ustar", 257

_BEGINNINGS = (
    (b"\x28\xb5\x2f\xfd", "is packed with Zstandard: unpack it with zstd -d"),
    (b"\xfd7zXZ\0", "is packed with xz: unpack it with xz -d"),
    (b"BZh", "is packed with bzip2: unpack it with bzip2 -d"),
    (b"\x04\x22\x4d\x18", "is packed with LZ4: unpack it with lz4 -d"),
    (b"PK\x03\x04", "is a zip archive: unpack it first"),
    # Of what was unpacked already.
    (b"\x1f\x8b", "is packed twice: unpack it with gzip -d"),
    (b"version https://git-lfs", "is a pointer of Git LFS: fetch the file itself with git lfs pull"),
    (b"\xff\xfe", "is UTF-16 text, as a redirection in PowerShell writes: save it as UTF-8"),
    (b"\xfe\xff", "is UTF-16 text: save it as UTF-8"),
    (b"<", "is a page of HTML or XML: download the file itself"),
)


def foreign_content(head: bytes) -> str | None:
    """What a file of this beginning is, and what to do with it; None where that is not known."""
    if head[_TAR_AT:].startswith(_TAR):
        return "is a tar archive: unpack it with tar -xf"
    return next((words for beginning, words in _BEGINNINGS if head.startswith(beginning)), None)
