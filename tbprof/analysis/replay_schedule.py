"""What bound each device row when it was recorded: its launch, its stream, or another stream.

A row that started once its launch had reached the device keeps that latency. A row that was
already queued keeps its distance from what it waited for: from a row of another stream if
one ended just before it started (a stream wait, or the legacy default stream), else from the
row before it on its own stream. Distances that nothing recorded explains (another process, time
slicing) stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tbprof.analysis.device_work import NO_LAUNCH, DeviceWork
from tbprof.trace.columns import Int64s

__all__ = ["NO_ROW", "DeviceSchedule", "device_schedule"]

NO_ROW = -1

FOLLOWS_WITHIN_NS = 10_000
"""A queued row that starts this soon after the end of a row of another stream waited for it;
a stream wait resolves within a few us."""

_DEFAULT_LATENCY_NS = 5_000
_DEFAULT_GAP_NS = 1_000
_LEAST_PERCENTILE = 10


@dataclass(frozen=True, slots=True, eq=False)
class DeviceSchedule:
    """One entry a row of `DeviceWork`, in the same order."""

    before: Int64s
    """The row before it on its stream, or `NO_ROW`."""
    latency_ns: Int64s
    """From the start of its launch to the earliest start on a free stream."""
    gap_ns: Int64s
    """From the end of the row before it to the earliest start."""
    awaited: Int64s
    """A row of another stream that it waited for, or `NO_ROW`."""
    awaited_gap_ns: Int64s


def device_schedule(work: DeviceWork) -> DeviceSchedule:
    """Sort every row into one of the three, and keep its distance."""
    before = _row_before(work)
    ready = np.where(before == NO_ROW, work.start_ns, work.end_ns[before])
    latency, gap = work.start_ns - work.launch_start_ns, work.start_ns - ready
    known = work.launch != NO_LAUNCH
    first_free = (before == NO_ROW) | (ready <= work.launch_start_ns)
    least_latency = _least(latency[known & first_free], _DEFAULT_LATENCY_NS)
    queued = ~known | ((before != NO_ROW) & (ready > work.launch_start_ns + least_latency))
    least_gap = _least(gap[queued & (before != NO_ROW)], _DEFAULT_GAP_NS)
    late = (gap > least_gap + FOLLOWS_WITHIN_NS // 2) | (latency > least_latency + FOLLOWS_WITHIN_NS // 2)
    awaited = np.where(late, _just_ended(work), NO_ROW)
    waits = awaited != NO_ROW
    return DeviceSchedule(
        before=before,
        latency_ns=np.where(queued | waits, np.minimum(latency, least_latency), latency),
        gap_ns=np.where(queued & ~waits, np.maximum(gap, 0), np.minimum(np.maximum(gap, 0), least_gap)),
        awaited=awaited,
        awaited_gap_ns=np.where(waits, work.start_ns - work.end_ns[awaited], 0),
    )


def _row_before(work: DeviceWork) -> Int64s:
    order = np.lexsort((np.arange(len(work.rows)), work.start_ns, work.stream, work.device))
    same = (np.diff(work.stream[order]) == 0) & (np.diff(work.device[order]) == 0)
    before = np.full(len(order), NO_ROW, np.int64)
    before[order[1:][same]] = order[:-1][same]
    return before


def _just_ended(work: DeviceWork) -> Int64s:
    """The last row to end at or before each row's start, if on another stream and just before it."""
    by_end = np.argsort(work.end_ns, kind="stable")
    at = np.searchsorted(work.end_ns[by_end], work.start_ns, side="right") - 1
    last = by_end[np.maximum(at, 0)]
    close = (at >= 0) & (work.start_ns - work.end_ns[last] <= FOLLOWS_WITHIN_NS)
    other = (work.device[last] == work.device) & (work.stream[last] != work.stream)
    earlier = work.launch_start_ns[last] <= work.launch_start_ns
    return np.where(close & other & earlier, last, NO_ROW)


def _least(values: Int64s, default: int) -> int:
    some: npt.NDArray[np.int64] = values[values >= 0]
    return int(np.percentile(some, _LEAST_PERCENTILE)) if len(some) else default
