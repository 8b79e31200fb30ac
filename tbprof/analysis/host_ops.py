"""Ops of the training threads that ran on the host alone: no call of a device's runtime lies in them."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.names import matching_rows
from tbprof.trace.columns import Category, Int64s

__all__ = ["host_ops", "ops_within", "top_level_ops"]


def host_ops(facts: Facts, pattern: str, lane: int) -> Int64s:
    """Rows of a lane whose name matches, ascending by start."""
    slices = facts.trace.slices
    rows = matching_rows(facts.trace, pattern, Category.CPU_OP)
    rows = _by_start(facts, rows[slices.lane[rows] == lane])
    calls = np.sort(slices.start_ns[(slices.category == Category.RUNTIME) & (slices.lane == lane)])
    start, end = slices.start_ns[rows], slices.start_ns[rows] + slices.duration_ns[rows]
    first = np.searchsorted(calls, start, side="left")
    alone: Int64s = rows[first == np.searchsorted(calls, end, side="right")]
    return alone


def top_level_ops(facts: Facts, lane: int) -> Int64s:
    """Rows of a lane's ops that lie in no other, ascending by start."""
    slices = facts.trace.slices
    rows = np.flatnonzero((slices.category == Category.CPU_OP) & (slices.lane == lane))
    rows = rows[np.lexsort((-slices.duration_ns[rows], slices.start_ns[rows]))]
    reach = np.maximum.accumulate(slices.start_ns[rows] + slices.duration_ns[rows])
    before = np.concatenate([np.array([np.iinfo(np.int64).min]), reach[:-1]])[: len(rows)]
    outermost: Int64s = rows[slices.start_ns[rows] >= before]
    return outermost


def ops_within(facts: Facts, row: int) -> Int64s:
    """Rows of the ops that lie in this one, itself included."""
    slices = facts.trace.slices
    start, end = slices.start_ns[row], slices.start_ns[row] + slices.duration_ns[row]
    inside = (slices.category == Category.CPU_OP) & (slices.lane == slices.lane[row])
    inside &= (slices.start_ns >= start) & (slices.start_ns + slices.duration_ns <= end)
    return np.flatnonzero(inside)


def _by_start(facts: Facts, rows: Int64s) -> Int64s:
    ordered: Int64s = rows[np.argsort(facts.trace.slices.start_ns[rows], kind="stable")]
    return ordered
