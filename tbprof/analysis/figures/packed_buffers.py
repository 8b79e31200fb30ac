"""When DistributedDataParallel packs the buffers, sends them, and copies them back before a forward."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import Intervals, union_of
from tbprof.analysis.names import matching_rows
from tbprof.trace.columns.arrays import Int64s, distinct
from tbprof.trace.columns.columns import Category, Slices

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
    spans = [
        _spans_of_thread(*(_on(slices, rows, lane) for rows in (forwards, packs, copies)))
        for lane in distinct(slices.lane[packs]).tolist()
    ]
    return union_of(spans)


def _on(slices: Slices, rows: Int64s, lane: int) -> Intervals:
    rows = rows[slices.lane[rows] == lane]
    rows = rows[np.argsort(slices.start_ns[rows], kind="stable")]
    return Intervals(slices.start_ns[rows], slices.end_of(rows))


def _spans_of_thread(forwards: Intervals, packs: Intervals, copies: Intervals) -> Intervals:
    first = np.searchsorted(packs.start_ns, forwards.start_ns)
    last = np.searchsorted(packs.start_ns, forwards.end_ns) - 1
    first, last = first[first <= last], last[first <= last]
    # No packing lies in another one.
    ends_ns = packs.end_ns[last]
    at = np.searchsorted(copies.start_ns, ends_ns)
    apart = np.flatnonzero(copies.start_ns[1:] - copies.end_ns[:-1] > _APART_NS) + 1
    ends = np.append(apart, len(copies))[np.searchsorted(apart, at, side="right")] - 1
    near = at < len(copies)
    near[near] = copies.start_ns[at[near]] - ends_ns[near] <= _APART_NS
    ends_ns[near] = copies.end_ns[ends[near]]
    return Intervals(packs.start_ns[first], ends_ns)
