"""What a sync point costs at the least: the time the device stays dry after it.

The bubble of a sync point is the empty idle of the awaited device from the moment its call
returns to the start of the first device work launched after that, less the latency of one
launch, and never more than the explained part of the wait. Without that last bound any slow
host work after a sync would be blamed on it: 625 ms instead of under 3 ms on a real trace.

When a device could have done more, had the host come earlier: what bounds the saving of any wait.

A wait is not a cost: only a moment that the host can fill can be won by waiting less. Within the steps
these are, of the busiest device, the moments

- at which it was idle with nothing queued: the host was late;
- at which it did nothing but copy: a host that comes earlier lets a transfer run beside kernels;
- at which the stream that computed most neither ran nor had anything queued, whatever other streams
  did meanwhile: an all-reduce keeps a device busy, and the next layer could run beside it.

They count once where several hold. Of 1,000 simulated programs that were run again without any of their
waits no truth lies above this ceiling; above the empty idle alone lay one in ten.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.awaited import Awaited
from tbprof.analysis.collectives import is_communication
from tbprof.analysis.device_idle import IdlePieces
from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.episodes import Episodes
from tbprof.analysis.intervals import (
    NEVER,
    Intervals,
    complement,
    intersect,
    overlap_ns,
    subtract,
    union,
    union_of,
)
from tbprof.analysis.steps import Steps
from tbprof.analysis.transfers import Transfers
from tbprof.trace.columns.arrays import NONE, Int64s, percentile
from tbprof.trace.columns.columns import Trace

DEFAULT_LAUNCH_NS = 5_000
"""Latency of a launch onto an idle device where the trace shows none."""

_LATENCY_PERCENTILE = 10


def starve_ns(
    work: DeviceWork, idle: IdlePieces, episodes: Episodes, awaited: Awaited, collectives: Intervals
) -> Int64s:
    """One figure an episode; 0 for those that did not block, or with no launch after them.

    What the device is idle during `collectives` of the hosts is left out: another rank may decide when
    those end.
    """
    starved = np.zeros(len(episodes.first), np.int64)
    for device in work.devices:
        mine = np.flatnonzero(episodes.blocking & (awaited.device == device))
        returned = episodes.end_ns[mine]
        refilled = _first_start_after(work, device, returned)
        empty = subtract(idle.empty[device], collectives)
        dry = overlap_ns(empty, returned, np.maximum(refilled, returned))
        bubble = np.maximum(dry - _launch_latency_ns(work, idle, device), 0)
        starved[mine] = np.minimum(bubble, awaited.explained_ns[mine])
    return starved


def _first_start_after(work: DeviceWork, device: int, instants: Int64s) -> Int64s:
    """Start of the first work that was launched at or after each instant; the instant if none."""
    known = np.flatnonzero((work.device == device) & (work.launch != NONE))
    if len(known) == 0:
        return instants
    known = known[np.argsort(work.launch_start_ns[known], kind="stable")]
    launched, start = work.launch_start_ns[known], work.start_ns[known]
    earliest = np.minimum.accumulate(start[::-1])[::-1]
    at = np.searchsorted(launched, instants, side="left")
    return np.where(at < len(known), earliest[np.minimum(at, len(known) - 1)], instants)


def _launch_latency_ns(work: DeviceWork, idle: IdlePieces, device: int) -> int:
    """The time from a launch to its start, when the device was idle with an empty queue: 10th percentile."""
    known = (work.device == device) & (work.launch != NONE)
    launched, start = work.launch_start_ns[known], work.start_ns[known]
    empty = idle.empty[device]
    onto_idle = overlap_ns(empty, launched, np.minimum(launched + 1, start)) > 0
    if not onto_idle.any():
        return DEFAULT_LAUNCH_NS
    return int(percentile((start - launched)[onto_idle], _LATENCY_PERCENTILE))


def find_fillable(
    trace: Trace, work: DeviceWork, steps: Steps, idle: IdlePieces, transfers: Transfers
) -> Intervals:
    """Never without device work."""
    main = work.main_device
    if main is None:
        return NEVER
    inside = union(steps.gpu_start_ns, steps.gpu_end_ns)
    parts = (
        idle.empty[main],
        intersect(subtract(work.busy[main], transfers.computing[main]), inside),
        intersect(_stream_is_free(trace, work, steps, main), inside),
    )
    return union_of(parts)


def _stream_is_free(trace: Trace, work: DeviceWork, steps: Steps, device: int) -> Intervals:
    """When the stream that computed most neither ran nor had been given anything that it had not begun."""
    computes = work.is_kernel & ~is_communication(trace, work)
    mine = np.flatnonzero(computes & (work.device == device))
    length = np.bincount(work.place[mine], weights=(work.end_ns - work.start_ns)[mine], minlength=1)
    rows = (work.device == device) & (work.place == np.argmax(length))
    queued = rows & (work.launch != NONE)
    runs = union(work.start_ns[rows], work.end_ns[rows])
    taken = union_of((runs, union(work.launch_end_ns[queued], work.start_ns[queued])))
    return complement(taken, int(steps.gpu_start_ns.min()), int(steps.gpu_end_ns.max()))
