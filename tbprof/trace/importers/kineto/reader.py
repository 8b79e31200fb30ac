"""A Kineto file, read: bytes to `Trace`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np

from tbprof.errors import NotATrace
from tbprof.trace.columns.columns import Category, Trace
from tbprof.trace.columns.eras import era_of
from tbprof.trace.columns.joined_inputs import with_joined_inputs
from tbprof.trace.columns.tables import ARGUMENT_TABLES, NO_TABLES, Tables
from tbprof.trace.importers.kineto.clock_offset import with_clocks_aligned
from tbprof.trace.importers.kineto.column_builder import ColumnBuilder
from tbprof.trace.importers.kineto.events.chunks import EventStream
from tbprof.trace.importers.kineto.events.decode import Decoder, Losses
from tbprof.trace.importers.kineto.events.lenient import Loss
from tbprof.trace.importers.kineto.events.metadata import read_metadata
from tbprof.trace.importers.kineto.graph_notes import with_graph_notes
from tbprof.trace.importers.kineto.health import Reading, health_of
from tbprof.trace.importers.kineto.lost_work import with_work_joined
from tbprof.trace.importers.kineto.missing_rows import with_missing_rows, without_stray_rows
from tbprof.trace.importers.kineto.overlong_rows import with_rows_cut
from tbprof.trace.importers.kineto.rows import Rows
from tbprof.trace.importers.kineto.several_processes import check_processes
from tbprof.trace.importers.source import open_source

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
    rows = replace(rows, names=tuple(VERSION_OF_CALL.sub(r"\1", name) for name in rows.names))
    if not rows.memory:
        check_kinds(path, rows, reading.losses)
    check_processes(path, rows)
    rows, left_out = without_stray_rows(rows)
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
        health=health_of(reading, rows, left_out),
        **_arguments(rows),
    )
    trace = with_graph_notes(with_missing_rows(with_work_joined(with_rows_cut(with_clocks_aligned(trace)))))
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


VERSION_OF_CALL = re.compile(r"\A((?:cuda|cu|hip)[A-Z]\w*?)_v\d{4,5}(?:_ptsz|_ptds)?\Z")
"""Calls as CUPTI names them, as `cudaMemcpyAsync_v3020`; torch leaves that out, and keeps `_v2`."""

_NPU_PROCESS = "Ascend Hardware"
"""To which torch_npu's `trace_view.json` gives the rows of a device, without a category."""

_PROFILERS_OWN = "PyTorch Profiler"
"""How the name of the profiler's own span begins, which is of no category either."""

_LEGACY_PROCESSES = frozenset({"CPU functions", "CUDA functions"})
"""The processes of `torch.autograd.profiler` without Kineto; its rows have no category."""

_XLA_PROCESSES = ("/host:", "/device:")


def name_npu_rows(rows: Rows) -> None:
    """Give the rows of an Ascend NPU their category."""
    on_npu = [rows.process_names.get(process) == _NPU_PROCESS for process, _ in rows.places]
    if any(on_npu):
        category = rows.slices.category
        category[np.array(on_npu)[rows.slices.lane] & (category == Category.OTHER)] = Category.NPU


def check_kinds(path: str, rows: Rows, losses: Losses) -> None:
    """Refuse a file without a row of any category that is known.

    Raises:
        NotATrace: The message says what the file may be, and what to do.
    """
    slices = rows.slices
    if not len(slices):
        raise NotATrace(f"{path} {_without_rows(rows, losses)}.")
    if (slices.category != Category.OTHER).any():
        return
    is_own = np.array([name.startswith(_PROFILERS_OWN) for name in rows.names], bool)
    foreign = int((~is_own[slices.name]).sum())
    if foreign:
        what = f"holds {foreign:,} timed events, and none is torch.profiler's"
        raise NotATrace(f"{path} {what}: {_advice(rows)}.")


def mostly_lost(path: str, losses: Losses) -> NotATrace:
    """The error of a file most of whose events give no record, with the reason of most of them."""
    ((reason, count),) = losses.events.most_common(1)
    return NotATrace(f"{path} is damaged for the most part: {count:,} events {_LOST[reason]}. Record again.")


_LOST: dict[Loss, str] = {
    "damaged": "are no valid JSON",
    "no_time": "have no number as their time",
    "out_of_range": "have times that are too large for microseconds, as torch.profiler writes them",
    "not_an_object": "are no JSON objects",
}


def _without_rows(rows: Rows, losses: Losses) -> str:
    if lost := losses.events["no_time"] + losses.events["out_of_range"]:
        return (
            f"holds no event whose time can be read, of {lost:,}: torch.profiler writes times as "
            "numbers of microseconds"
        )
    if 0 < rows.num_events == rows.num_labels:
        return (
            f"holds {rows.num_events:,} events, all of them names of processes and threads: the recording "
            "was aborted, or ended before its first step. Record at least one step"
        )
    if rows.num_events:
        return (
            f"holds {rows.num_events:,} events, and none with a duration: pairs of begin and end (B and E, "
            "b and e) are not read. Record at least one step with torch.profiler"
        )
    return "holds no timed events: record at least one step"


def _advice(rows: Rows) -> str:
    if not _LEGACY_PROCESSES.isdisjoint(process for process, _ in rows.places):
        return (
            "they are of a profiler without Kineto. Where `torch.profiler.kineto_available()` is false, "
            "torch.profiler writes them, too: take a torch that was built with Kineto"
        )
    if any(name.startswith(_XLA_PROCESSES) for name in rows.process_names.values()):
        return "they look like those of JAX or TensorFlow, which tbprof does not read"
    return (
        'their categories ("cat") are unknown or missing. Record with torch.profiler, or keep what it wrote'
    )
