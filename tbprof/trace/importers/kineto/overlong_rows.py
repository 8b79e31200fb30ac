"""Rows of a GPU that last longer than they can: cut, so that one of them does not make a GPU look busy.

A stream does its work one piece after the other. The profiler of AMD's GPUs now and then gives a row a
duration that runs over the next rows of its stream, or over everything that was recorded.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tbprof.model import HealthFact
from tbprof.trace.columns.arrays import Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category, Trace
from tbprof.trace.columns.eras import GPU_WORK

_SLACK_NS = 1_000
"""Times were once rounded to microseconds."""
_MOST_OVER_NEXT = 0.1
"""A share of the rows. Where more of them overlap, rows of several streams bear one number."""
_PAST_ALL_NS = 100_000_000
"""A row is past everything else only by more than this: a long kernel may well be the last one."""
_NEVER = np.iinfo(np.int64).max


def with_rows_cut(trace: Trace) -> Trace:
    """The trace, with such rows cut where the next one begins, or as long as those of its name."""
    rows = np.flatnonzero(is_among(trace.slices.category, GPU_WORK))
    if not len(rows):
        return trace
    start_ns, duration_ns = trace.slices.start_ns[rows], trace.slices.duration_ns[rows]
    end_ns = start_ns + duration_ns
    latest_ns = np.minimum(_starts_of_next(trace, rows), _end_of_others(trace, rows, end_ns))
    over = np.flatnonzero(end_ns - _SLACK_NS > latest_ns)
    if not len(over):
        return trace
    cut_ns = trace.slices.duration_ns.copy()
    cut_ns[rows[over]] = np.maximum(latest_ns[over] - start_ns[over], 0)
    past_ns = end_ns[over] - latest_ns[over]
    worst = rows[over[past_ns.argmax()]]
    name = trace.names[trace.slices.name[worst]]
    cut = {"rows": len(over), "worst_us": int(past_ns.max()) / 1000, "name": name}
    fact = HealthFact("gpu_rows_cut", "warning", cut)
    slices = replace(trace.slices, duration_ns=cut_ns)
    return replace(trace, slices=slices, health=(*trace.health, fact))


def _starts_of_next(trace: Trace, rows: Int64s) -> Int64s:
    """For each row when the next one of its stream begins; never where that may be another stream's.

    On NVIDIA's GPUs kernels of a stream may overlap: those of a graph, and those that are launched early.
    """
    never = np.full(len(rows), _NEVER, np.int64)
    calls = distinct(trace.slices.name[trace.slices.category == Category.RUNTIME])
    if not any(trace.names[name].startswith("hip") for name in calls):
        return never
    start_ns, end_ns = trace.slices.start_ns[rows], (trace.slices.start_ns + trace.slices.duration_ns)[rows]
    device, stream = trace.device.at(rows), trace.stream.at(rows)
    order = np.lexsort((end_ns, start_ns, stream, device))
    is_followed = (np.diff(device[order]) == 0) & (np.diff(stream[order]) == 0)
    next_ns = never.copy()
    next_ns[order[:-1][is_followed]] = start_ns[order[1:][is_followed]]
    over = end_ns - _SLACK_NS > next_ns
    return next_ns if over.sum() <= max(_MOST_OVER_NEXT * len(rows), 1) else never


def _end_of_others(trace: Trace, rows: Int64s, end_ns: Int64s) -> Int64s:
    """For the row that ends last when all others had ended, if it lasts longer after that than they all.

    It may have ended long before: as its like do at the median, where there are any on the GPU.
    """
    latest_ns = np.full(len(rows), _NEVER, np.int64)
    last = int(end_ns.argmax())
    ends_ns = trace.slices.start_ns + trace.slices.duration_ns
    ends_ns[rows[last]] = trace.slices.start_ns[rows[last]]
    others_end_ns = int(ends_ns.max())
    span_ns = others_end_ns - int(trace.slices.start_ns.min())
    if end_ns[last] - others_end_ns > max(span_ns, _PAST_ALL_NS):
        name = trace.slices.name[rows[last]]
        alike = rows[trace.slices.name[rows] == name]
        # A collective may have waited for another rank.
        waits = "nccl" in trace.names[name].lower()
        alike = alike[:0] if waits else alike[alike != rows[last]]
        usual_ns = int(np.median(trace.slices.duration_ns[alike])) if len(alike) else span_ns
        latest_ns[last] = min(others_end_ns, int(trace.slices.start_ns[rows[last]]) + usual_ns)
    return latest_ns
