"""Calls by which the allocator takes device memory from the driver, or gives it back, in steady steps."""

from __future__ import annotations

from collections import Counter

import numpy as np

from tbprof.analysis.arrays.intervals import Intervals, intersect, union
from tbprof.analysis.arrays.names import matching_rows
from tbprof.analysis.facts import Facts
from tbprof.records import dataclass
from tbprof.rules.memory.cache_flushes import find_cache_flushes
from tbprof.trace.columns.arrays import Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category

_CALLS = (
    r"(?:cuda|hip)(?:Malloc|Free)$"
    r"|(?:cu|hip)Mem(?:Create|Map|Unmap|Release|SetAccess|AddressReserve|AddressFree)$"
)
"""The second line is what expandable segments call. What allocates on a stream (`cudaMallocAsync`) has a
cache in the driver, and pinned host memory is another matter."""


@dataclass(frozen=True, slots=True, eq=False)
class DriverCalls:
    """Of the training lanes, in the later half of the steps, without those that hold a flush of the cache."""

    rows: Int64s
    step: Int64s
    steps: int
    """How many steps were looked at."""
    idle: Intervals
    """Idle of the busiest device during these calls, caused by the allocator."""


def find_driver_calls(facts: Facts) -> DriverCalls:
    """What is allocated in the first half sets memory up: a cache that fills comes to rest."""
    slices, first = facts.trace.slices, max(len(facts.steps) // 2, 1)
    flushes = find_cache_flushes(facts)
    others = np.concatenate([flushes.frames, flushes.frees, flushes.mallocs])
    flushed = distinct(facts.steps.index_of(slices.start_ns[others]))
    rows = matching_rows(facts.trace, _CALLS, Category.RUNTIME)
    rows = rows[is_among(slices.lane[rows], facts.training_threads)]
    rows = rows[~is_among(rows, facts.frees.of_handles)]
    step = facts.steps.index_of(slices.start_ns[rows])
    kept = (step >= first) & ~is_among(step, flushed)
    rows, step = rows[kept], step[kept]
    during = union(slices.start_ns[rows], slices.end_of(rows))
    return DriverCalls(
        rows=rows,
        step=step,
        steps=max(len(facts.steps) - first, 0),
        idle=intersect(facts.idle_of("allocator"), during),
    )


def most_in(facts: Facts, rows: Int64s) -> str:
    """The code in which these calls took longest; "" where none of it is known."""
    slices, spent = facts.trace.slices, Counter[str]()
    names = facts.places.names(slices.start_ns[rows], slices.end_of(rows))
    for name, duration_ns in zip(names, slices.duration_ns[rows].tolist(), strict=True):
        spent[name] += duration_ns
    spent.pop("", None)
    return min(spent, key=lambda name: (-spent[name], name), default="")
