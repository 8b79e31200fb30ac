"""What a trace lacks that the figures rest on."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.names import matching_rows
from tbprof.analysis.facts import Facts
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.clocks import CLOCK_SLACK_NS
from tbprof.trace.columns.columns import Category

_LOSSES = frozenset({"compression_damaged", "truncated", "events_dropped"})

_STREAM_WAIT = r"(?:cuda|hip|cu)StreamWaitEvent"


@dataclass(frozen=True, slots=True, eq=False)
class TraceGaps:
    is_damaged: bool
    """Whether events of the file were lost."""
    device_rows: int
    without_launch: Int64s
    """Device rows whose launch is not in the trace."""
    before_launch: Int64s
    """Device rows that begin before their launch by more than `CLOCK_SLACK_NS`."""
    unnamed_waits: Int64s
    """Calls that make a stream wait, in a trace that names no stream they waited for."""


def find_trace_gaps(facts: Facts) -> TraceGaps:
    trace, work = facts.trace, facts.work
    known = work.launch != NONE
    early = known & (work.start_ns < work.launch_start_ns - CLOCK_SLACK_NS)
    waits = matching_rows(trace, _STREAM_WAIT, Category.RUNTIME)
    is_named = bool((trace.awaited_stream.values >= 0).any())
    return TraceGaps(
        is_damaged=any(fact.code in _LOSSES for fact in trace.health),
        device_rows=len(work.rows),
        without_launch=work.rows[~known],
        before_launch=work.rows[early],
        unnamed_waits=np.empty(0, np.int64) if is_named else waits,
    )
