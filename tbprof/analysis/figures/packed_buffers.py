"""When DistributedDataParallel packs the buffers, sends them, and copies them back before a forward."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import Intervals, union
from tbprof.analysis.names import matching_rows
from tbprof.trace.columns.arrays import Int64s
from tbprof.trace.columns.columns import Category

_FORWARDS = r"DistributedDataParallel\.forward"
_PACKS = r"aten::(?:un)?flatten_dense_tensors"
_COPIES = r"aten::copy_$"

_APART_NS = 200_000
"""Copies further apart than this are not of one loop."""


def packed_buffers(facts: Facts) -> Intervals:
    """The spans from the first packing in each forward to the last copy out of what was packed."""
    slices = facts.trace.slices
    forwards = matching_rows(facts.trace, _FORWARDS, Category.USER_ANNOTATION, Category.CPU_OP)
    packs = matching_rows(facts.trace, _PACKS, Category.CPU_OP)
    copies = matching_rows(facts.trace, _COPIES, Category.CPU_OP)
    begins: list[int] = []
    ends: list[int] = []
    for row in forwards.tolist():
        start_ns, lane = int(slices.start_ns[row]), int(slices.lane[row])
        end_ns = start_ns + int(slices.duration_ns[row])
        mine = packs[slices.lane[packs] == lane]
        mine = mine[(slices.start_ns[mine] >= start_ns) & (slices.start_ns[mine] < end_ns)]
        if not len(mine):
            continue
        last_ns = int(slices.end_of(mine).max())
        after = copies[(slices.lane[copies] == lane) & (slices.start_ns[copies] >= last_ns)]
        begins.append(int(slices.start_ns[mine].min()))
        ends.append(_end_of_run(slices.start_ns[after], slices.end_of(after), last_ns))
    return union(np.array(begins, np.int64), np.array(ends, np.int64))


def _end_of_run(start_ns: Int64s, end_ns: Int64s, begun_ns: int) -> int:
    """The end of the last of these that follow one another closely."""
    before_ns = np.concatenate([[begun_ns], end_ns[:-1]])
    apart = np.flatnonzero(start_ns - before_ns[: len(start_ns)] > _APART_NS)
    run = end_ns[: apart[0]] if len(apart) else end_ns
    return int(run[-1]) if len(run) else begun_ns
