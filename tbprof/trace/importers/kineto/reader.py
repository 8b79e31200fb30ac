"""A Kineto file, read: bytes to `Trace`."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from tbprof.trace.columns.columns import Trace
from tbprof.trace.columns.eras import era_of
from tbprof.trace.columns.joined_inputs import with_joined_inputs
from tbprof.trace.columns.tables import ARGUMENT_TABLES, NO_TABLES, Tables
from tbprof.trace.importers.files.source import open_source
from tbprof.trace.importers.kineto.column_builder import ColumnBuilder
from tbprof.trace.importers.kineto.events.chunks import EventStream
from tbprof.trace.importers.kineto.events.decode import Decoder
from tbprof.trace.importers.kineto.events.metadata import read_metadata
from tbprof.trace.importers.kineto.health import Reading, health_of
from tbprof.trace.importers.kineto.kinds import check_kinds, check_processes, mostly_lost, name_npu_rows
from tbprof.trace.importers.kineto.missing_rows import with_missing_rows
from tbprof.trace.importers.kineto.rows import Rows
from tbprof.trace.importers.kineto.stray_times import without_stray_rows

CHUNK_BYTES = 768 * 1024
"""Default size of the pieces that are decoded at once. Smaller ones take more calls, and the records of
larger ones leave a core's cache."""


_MANY_EVENTS = 50_000
"""If more events than this are lost, and more than are kept, then the file was never a trace."""


def read_trace(
    path: str | os.PathLike[str],
    *,
    tables: Tables = NO_TABLES,
    max_bytes: int | None = None,
    chunk_bytes: int = CHUNK_BYTES,
    progress: Callable[[int, int], None] | None = None,
) -> Trace:
    """Read the trace at `path`, plain or gzip, whole or damaged.

    A damaged event costs that event, a file that breaks off keeps what it has; what was
    lost stands in the trace's health. Memory is that of the columns and a few buffers.

    Args:
        path: a file that torch.profiler wrote.
        tables: which of the optional tables are wanted; the others are None.
        max_bytes: limit of what the file may unpack to; None: `limits.max_trace_bytes`.
        chunk_bytes: how much of it is decoded at once.
        progress: called after each chunk with the bytes read and the bytes of the file,
            both on the disk.

    Raises:
        TraceNotReadable: the file can't be opened.
        NotATrace: it holds no events of torch.profiler, or next to none.
        TraceTooLarge: it unpacks to more than `max_bytes`.
    """
    columns, decoder = ColumnBuilder(tables), Decoder(tables)
    with open_source(path, max_bytes) as source:
        stream = EventStream(source, chunk_bytes)
        for batch in decoder.batches(stream):
            columns.add(batch)
            del batch
            if decoder.losses.num_events > max(columns.num_events, _MANY_EVENTS):
                raise mostly_lost(source.path, decoder.losses)
            if progress is not None:
                progress(source.read_bytes, source.total_bytes)
        metadata = read_metadata(stream.head, stream.read_tail())
        reading = Reading(
            unpacked_bytes=source.unpacked_bytes,
            compression_damaged=source.damaged,
            ended=stream.ended,
            is_whole=stream.ended or stream.has_last_event,
            oversized_events=stream.oversized_events,
            losses=decoder.losses,
            metadata=metadata,
        )
        return trace_of(source.path, columns.take(), reading)


def trace_of(path: str, rows: Rows, reading: Reading) -> Trace:
    """The trace of a file whose events gave `rows`.

    Raises:
        NotATrace: they gave none that torch's profiler writes, nor any of memory where those were asked for.
    """
    name_npu_rows(rows)
    if not rows.memory:
        check_kinds(path, rows, reading.losses)
    check_processes(path, rows)
    rows, num_strays = without_stray_rows(rows)
    metadata = reading.metadata
    trace = Trace(
        path=path,
        slices=rows.slices,
        names=rows.names,
        lanes=rows.lanes,
        memory=rows.memory,
        device_names=metadata.device_names,
        rank=metadata.rank,
        world_size=metadata.world_size,
        era=era_of(rows.categories, has_base_time=metadata.has_base_time, has_decimals=rows.has_decimals),
        origin_ns=metadata.origin_ns,
        num_events=rows.num_events,
        facts=metadata.facts,
        health=health_of(reading, rows, num_strays),
        **_arguments(rows),
    )
    trace = with_missing_rows(trace)
    # What was recorded in the window itself is surer.
    if metadata.inputs is None or len(trace.input_shapes.rows):
        return trace
    return with_joined_inputs(trace, metadata.inputs)


def _arguments(rows: Rows) -> dict[str, Any]:
    """The columns of arguments by field of `Trace`, those of a table in its record."""
    columns: dict[str, Any] = {**rows.args, **rows.fractions}
    for table, record in ARGUMENT_TABLES.items():
        names = [column.name for column in fields(record)]
        if columns.keys() >= set(names):
            columns[table] = record(**{name: columns.pop(name) for name in names})
    return columns
