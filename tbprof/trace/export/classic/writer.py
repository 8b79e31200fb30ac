"""Any trace, written again in the dialect that torch-tb-profiler 0.4.3 reads correctly.

That is the one of 2021. On later files the plugin shows no error and false figures: no
time of devices, no data loader, no calls, collectives as computation, no call stacks.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from tbprof.errors import NotATrace
from tbprof.trace.columns.columns import Category, Trace
from tbprof.trace.export.classic.members import classic_members
from tbprof.trace.export.classic.other_events import ClassicOthers
from tbprof.trace.export.classic.raw_events import raw_events
from tbprof.trace.export.classic.rewrite_plan import plan_of
from tbprof.trace.export.classic.rows import ClassicRows, RawEvent
from tbprof.trace.export.classic.times import ClassicClock
from tbprof.trace.importers.files.source import open_source
from tbprof.trace.importers.files.unpacked import open_gzip_writer
from tbprof.trace.importers.kineto.events.chunks import EventStream
from tbprof.trace.importers.kineto.reader import CHUNK_BYTES, read_trace

_LEVEL = 1


def write_classic(source: str | os.PathLike[str], destination: BinaryIO) -> None:
    """Write the trace at `source` as gzip in the classic dialect.

    Goes through the file twice: the columns say what becomes of each row, then the rows are
    rewritten chunk by chunk, so memory grows with the number of rows and not with their
    arguments. A file that is of 2021 keeps its events as they are. After an error the
    destination is incomplete.

    Args:
        source: a file that torch.profiler wrote, plain or gzip, of any era; not changed.
        destination: is left open.

    Raises:
        TraceError: the source gives nothing.
    """
    trace = _read(source)
    clock = ClassicClock.unchanged() if _is_classic(trace) else ClassicClock.of(trace.slices)
    members = classic_members(os.fspath(source), trace, clock)
    with open_source(source) as opened, open_gzip_writer(destination, _LEVEL) as packed:
        stream = EventStream(opened, CHUNK_BYTES)
        packed.write(members.removesuffix(b"}") + b',\n"traceEvents": [\n')
        separator = b""
        for events in _rewritten(stream, trace, clock):
            encoded = b",\n".join(map(msgspec.json.encode, events))
            if encoded:
                packed.write(separator + encoded)
                separator = b",\n"
        # The plugin adds its counters before the last bracket of the file: it must be this one.
        packed.write(b"\n]}\n")


def _read(source: str | os.PathLike[str]) -> Trace:
    try:
        return read_trace(source)
    except NotATrace:
        # Memory events alone are a curve in the plugin's memory view.
        return read_trace(source, tables=frozenset(("memory",)))


def _is_classic(trace: Trace) -> bool:
    """Whether a file speaks the dialect already; without operators only memory can be shown as it is."""
    has_ops = bool((trace.slices.category == Category.CPU_OP).any())
    return (trace.era == "2021" and has_ops) or not len(trace.slices)


def _rewritten(stream: EventStream, trace: Trace, clock: ClassicClock) -> Iterator[Iterator[RawEvent]]:
    """The events of the copy, some at a time."""
    if _is_classic(trace):
        for rows, others in raw_events(stream):
            yield iter(rows + others)
        return
    rewriter = ClassicRows(trace, plan_of(trace), clock)
    of_others = ClassicOthers(rewriter.threads, clock, len(trace.device_names))
    first_row = 0
    for rows, others in raw_events(stream):
        yield rewriter.rewrite(first_row, rows)
        yield of_others.rewrite(others)
        first_row += len(rows)
    yield rewriter.added()
