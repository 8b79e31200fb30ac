"""Whether the host records CUDA graphs in this window, rather than running the program."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.intervals import total_ns, union
from tbprof.analysis.arrays.names import matching_rows
from tbprof.model import HealthFact
from tbprof.trace.columns.columns import Category, Trace

_MOST = 0.5
"""Of the launches, or of the time: from here on the window shows a capture, which happens once."""

_BEGIN = r"(?:cuda|hip)StreamBeginCapture"
_END = r"(?:cuda|hip)StreamEndCapture"


def mostly_captured(trace: Trace) -> HealthFact | None:
    """How many launches recorded a graph and ran nothing (`rows`, `of`), where most did or it took most."""
    for fact in trace.health:
        if fact.code == "launches_captured" and (
            int(fact.numbers["rows"]) >= _MOST * int(fact.numbers["of"]) or _captured_share(trace) >= _MOST
        ):
            return fact
    return None


def _captured_share(trace: Trace) -> float:
    """The part of the time from the first to the last runtime call in which a graph was recorded."""
    slices = trace.slices
    calls = np.flatnonzero(slices.category == Category.RUNTIME)
    begins, ends = (matching_rows(trace, name, Category.RUNTIME) for name in (_BEGIN, _END))
    start, end = (np.sort(times, kind="stable") for times in (slices.start_ns[begins], slices.end_of(ends)))
    at = np.searchsorted(end, start)
    whole = at < len(end)
    captured = union(start[whole], end[at[whole]])
    span = int(slices.end_of(calls).max() - slices.start_ns[calls].min())
    return total_ns(captured) / max(span, 1)
