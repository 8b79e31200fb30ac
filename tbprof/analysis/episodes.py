"""Sync points and copies: every copy or synchronize call becomes one episode.

A stream synchronize belongs to the copy before it, as one episode, if that copy is the last
copy or synchronize call before it on its thread and both have the same innermost op
instance, or neither has one; other calls between do not matter, nor does time. Device and
event synchronizes are never joined. The profiler's own synchronize is no episode.

A copy blocked the host if it is joined to a sync call, or its call is synchronous (no
`Async` in the name), or it reads the device into pageable memory. Otherwise it did not,
however long the call took. A sync call always did.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from tbprof.analysis.calls import Calls
from tbprof.analysis.copy_kinds import DIRECTIONS, MEMORIES, copy_kinds
from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.steps import Steps
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, lookup
from tbprof.trace.columns.columns import Category, Trace


@dataclass(frozen=True, eq=False)
class Episodes:
    """One entry an episode, ascending by (lane, start). A sync point is a blocking one."""

    first: Int64s
    """Its copy call, or its synchronize call where there is no copy: position in `Calls`."""
    is_copy: npt.NDArray[np.bool_]
    joined: Int64s
    """Position in `Calls` of the sync call joined to the copy, or `NONE`."""
    record: Int64s
    """Position in `DeviceWork` of the copy's device row, or `NONE`."""
    direction: Int64s
    """Index into `copy_kinds.DIRECTIONS`."""
    memory: Int64s
    """Index into `copy_kinds.MEMORIES`."""
    bytes: Int64s
    blocking: npt.NDArray[np.bool_]
    lane: Int64s
    start_ns: Int64s
    end_ns: Int64s
    copy_ns: Int64s
    """Host time in the copy call, 0 without one."""
    sync_ns: Int64s
    """Host time in the synchronize call, 0 without one."""
    step: Int64s
    """Index of the step that holds the start of its first call, or `NONE`."""

    @cached_property
    def wait_ns(self) -> Int64s:
        """Whole host time in its calls."""
        return self.copy_ns + self.sync_ns


def find_episodes(trace: Trace, work: DeviceWork, calls: Calls, steps: Steps) -> Episodes:
    """Join the calls; copies that neither blocked nor have a device row are left out."""
    joined_to = _joined_copies(calls)
    is_joined = joined_to != NONE
    first = np.flatnonzero(~is_joined & ~calls.profiler_own)
    partner = np.full(len(calls.rows), NONE, np.int64)
    partner[joined_to[is_joined]] = np.flatnonzero(is_joined)
    joined = partner[first]
    record = _records(trace, work, calls.rows[first])
    direction, memory = copy_kinds(trace, work, calls.rows[first], record)
    is_copy = calls.is_copy[first]
    reads_pageable = (direction == DIRECTIONS.index("DtoH")) & (memory == MEMORIES.index("pageable"))
    blocking = ~is_copy | (joined != NONE) | ~calls.is_async[first] | reads_pageable
    kept = blocking | (record != NONE)
    duration = calls.end_ns - calls.start_ns
    joined_ns = np.where(joined == NONE, 0, duration[joined])
    own_ns = duration[first]
    return Episodes(
        first=first[kept],
        is_copy=is_copy[kept],
        joined=joined[kept],
        record=record[kept],
        direction=direction[kept],
        memory=memory[kept],
        bytes=_sizes(trace, work, record)[kept],
        blocking=blocking[kept],
        lane=calls.lane[first][kept],
        start_ns=calls.start_ns[first][kept],
        end_ns=np.where(joined == NONE, calls.end_ns[first], calls.end_ns[joined])[kept],
        copy_ns=np.where(is_copy, own_ns, 0)[kept],
        sync_ns=np.where(is_copy, joined_ns, own_ns)[kept],
        step=steps.index_of(calls.start_ns[first])[kept],
    )


def _joined_copies(calls: Calls) -> Int64s:
    """For each call the copy that it is joined to as its synchronize, else `NONE`."""
    before = np.arange(len(calls.rows)) - 1
    joined = calls.is_stream_sync & (before >= 0)
    joined &= calls.is_copy[before] & (calls.lane[before] == calls.lane) & (calls.op[before] == calls.op)
    return np.where(joined, before, NONE)


def _records(trace: Trace, work: DeviceWork, call_rows: Int64s) -> Int64s:
    """For each call the first copy that it started on a device, as a position in `work`."""
    copies = np.flatnonzero((trace.slices.category[work.rows] == Category.MEMCPY) & (work.launch != NONE))
    return lookup(work.launch[copies], copies, call_rows)


def _sizes(trace: Trace, work: DeviceWork, record: Int64s) -> Int64s:
    found = record != NONE
    sizes = np.zeros(len(record), np.int64)
    sizes[found] = trace.bytes.at(work.rows[record[found]])
    return sizes
