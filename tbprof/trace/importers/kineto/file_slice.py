"""One stretch of a trace file: what one of several processes reads of it.

Each process unpacks the file from its front, which is cheap, and decodes the chunks of its
own stretch only. That holds for a file without damage; anything else is `NotWhole`, and then
one process has to read all of it.
"""

from __future__ import annotations

from collections.abc import Callable

from tbprof.records import dataclass
from tbprof.trace.columns.tables import NO_TABLES, Tables
from tbprof.trace.importers.kineto.column_builder import ColumnBuilder
from tbprof.trace.importers.kineto.events.chunks import EventStream
from tbprof.trace.importers.kineto.events.decode import Decoder
from tbprof.trace.importers.kineto.reader import CHUNK_BYTES
from tbprof.trace.importers.kineto.rows import Rows
from tbprof.trace.importers.source import ByteSource, open_source

_NEXT_SHARE = 0.8
"""The share of the stretch before: a process starts later than this one, and unpacks all that stands before
its own, so that with this share they end together (measured on traces of 0.2 to 1 GB of JSON)."""


class NotWhole(Exception):
    """The file has a flaw that only a reading of all of it can judge."""


@dataclass(frozen=True, slots=True)
class FileSlice:
    """The part number `index`, from 0 on, of `count` parts of a file."""

    index: int
    count: int

    def bounds(self, total_bytes: int) -> tuple[int, int]:
        """The bytes on the disk from which on, and to which, chunks that are read next belong to it."""
        is_last = self.index == self.count - 1
        end = total_bytes + 1 if is_last else self._start(self.index + 1, total_bytes)
        return self._start(self.index, total_bytes), end

    def _start(self, index: int, total_bytes: int) -> int:
        return int(total_bytes * (1 - _NEXT_SHARE**index) / (1 - _NEXT_SHARE**self.count))


@dataclass(frozen=True, slots=True)
class Piece:
    """What one stretch gave."""

    rows: Rows
    start: int
    """Where its first event begins among the unpacked bytes of the file."""
    end: int
    """Where the first event of the next stretch begins."""
    head: bytes
    """What stands before the events of the file."""
    tail: bytes
    """What stands after the last stretch."""


def read_slice(
    path: str,
    stretch: FileSlice,
    tables: Tables = NO_TABLES,
    progress: Callable[[int, int], None] | None = None,
) -> Piece:
    """Read the events of one stretch.

    Args:
        path: The file.
        stretch: Which part of it.
        tables: Which of the optional tables are wanted.
        progress: Called after each chunk with the bytes of the stretch that have been read and
            the bytes that it has, both on the disk.

    Raises:
        NotWhole: The file is damaged, or cut into chunks in a way that only its reader knows.
        TraceError: It can't be read at all.
    """
    columns, decoder = ColumnBuilder(tables), Decoder(tables)
    with open_source(path) as source:
        first, end = stretch.bounds(source.total_bytes)
        stream = EventStream(source, CHUNK_BYTES)
        _skip(source, stream, first)
        start = stream.position
        while source.read_bytes < end and (batch := decoder.next_batch(stream)) is not None:
            columns.add(batch)
            del batch
            if progress is not None:
                progress(min(source.read_bytes, end) - first, end - first)
        is_last = stretch.index == stretch.count - 1
        piece = Piece(columns.take(), start, stream.position, stream.head, stream.read_tail())
        is_flawed = decoder.losses.num_events or decoder.losses.repaired or stream.oversized_events
        if is_flawed or source.damaged or stream.ended is not is_last:
            raise NotWhole(path)
    return piece


def _skip(source: ByteSource, stream: EventStream, first_byte: int) -> None:
    """Leave out the chunks of the stretches before; whoever reads them checks where they end."""
    while source.read_bytes < first_byte:
        chunk = stream.next_chunk()
        if chunk is None or not chunk.bounded:
            raise NotWhole(source.path)
        # The comma after the last event belongs to the chunk.
        stream.consume(chunk, len(chunk.array) - 1, ended=False)
