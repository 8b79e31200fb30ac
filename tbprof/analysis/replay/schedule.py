"""What bound each device row when it was recorded, and what could bind it if the host came earlier.

A row that started once its launch had reached the device keeps that latency. A row that was
already queued keeps its distance from what it waited for: from a row of another stream if a
stream wait says so (in a window that records none: if one ended just before it started), else
from the row before it on its own stream. Distances that nothing recorded explains (another
process, time slicing) stay as they are.

Kernels and copies that share an engine take turns in the replay as well (`engine_turns`).

Which device rows take turns: they share an engine that ran one of them at a time.

Kernels of several streams take turns, in the order in which they were recorded, if none of them ever
ran at once, and one of them was seen to have to: it could have run, and began only when the kernel of
another stream had ended. A host that waits keeps streams apart by itself, which says nothing of
what they would do together. A kernel with fewer blocks than the device has processors leaves room
for others, and communication always does: it is made to run beside computing. Copies of one
direction share an engine, and take turns if none of them ever overlapped.
"""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from tbprof.analysis.collectives import is_communication
from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.names import match
from tbprof.analysis.replay.stream_waits import StreamWaits
from tbprof.analysis.replay.streams import StreamOrder
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, percentile
from tbprof.trace.columns.columns import Trace

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
    """The row before it on its stream, or `NONE`."""
    latency_ns: Int64s
    """The time from the start of its launch to the earliest start on a free stream."""
    gap_ns: Int64s
    """The time from the end of the row before it to the earliest start."""
    least_latency_ns: int
    """The least latency of a launch onto an idle device."""
    awaited: tuple[tuple[tuple[int, int], ...], ...]
    """Rows of other streams that it has to wait for, each with the distance from its end."""


def device_schedule(trace: Trace, order: StreamOrder, stream_waits: StreamWaits) -> DeviceSchedule:
    """Sort every row into one of the three, keep its distance, and add what could bind it."""
    work = order.work
    before = order.before
    ready = np.where(before == NONE, work.start_ns, work.end_ns[before])
    latency, gap = work.start_ns - work.launch_start_ns, work.start_ns - ready
    known = work.launch != NONE
    first_free = (before == NONE) | (ready <= work.launch_start_ns)
    least_latency = _least(latency[known & first_free], _DEFAULT_LATENCY_NS)
    queued = ~known | ((before != NONE) & (ready > work.launch_start_ns + least_latency))
    least_gap = _least(gap[queued & (before != NONE)], _DEFAULT_GAP_NS)
    late = (gap > least_gap + FOLLOWS_WITHIN_NS // 2) | (latency > least_latency + FOLLOWS_WITHIN_NS // 2)
    # Where stream waits are recorded, a row that just ended elsewhere did so by chance.
    late &= not stream_waits.are_recorded
    ended = np.where(late, _just_ended(order), NONE)
    waits = ended != NONE
    bound = _bound(work, stream_waits, before)
    waits[stream_waits.row[bound]] = True
    told_ns = work.start_ns[stream_waits.row] - work.end_ns[stream_waits.awaited]
    told_ns = np.where(bound, told_ns, np.minimum(told_ns, least_gap))
    turns = find_turns(trace, order, _runnable_ns(work, stream_waits, before, least_latency))
    return DeviceSchedule(
        before=before,
        latency_ns=np.where(queued | waits, np.minimum(latency, least_latency), latency),
        gap_ns=np.where(queued & ~waits, np.maximum(gap, 0), np.minimum(np.maximum(gap, 0), least_gap)),
        least_latency_ns=least_latency,
        awaited=_awaited(work, ended, stream_waits, told_ns, turns),
    )


def _awaited(
    work: DeviceWork, ended: Int64s, stream_waits: StreamWaits, told_ns: Int64s, turns: Int64s
) -> tuple[tuple[tuple[int, int], ...], ...]:
    """All that each row has to wait for beside its own stream."""
    awaited: list[tuple[tuple[int, int], ...]] = [()] * len(work.rows)
    distance = work.start_ns - work.end_ns[ended]
    for row in np.flatnonzero(ended != NONE).tolist():
        awaited[row] += ((int(ended[row]), int(distance[row])),)
    for row, other, gap in zip(
        stream_waits.row.tolist(), stream_waits.awaited.tolist(), told_ns.tolist(), strict=True
    ):
        awaited[row] += ((other, gap),)
    distance = np.minimum(work.start_ns - work.end_ns[turns], 0)
    for row in np.flatnonzero(turns != NONE).tolist():
        awaited[row] += ((int(turns[row]), int(distance[row])),)
    return tuple(awaited)


def _bound(work: DeviceWork, stream_waits: StreamWaits, before: Int64s) -> npt.NDArray[np.bool_]:
    """Whether a stream wait held its row up, and not the launch or the row before."""
    row, ended = stream_waits.row, work.end_ns[stream_waits.awaited]
    free = np.where(before[row] == NONE, ended, work.end_ns[before[row]])
    came_last = (ended >= free) & (ended >= work.launch_start_ns[row])
    bound: npt.NDArray[np.bool_] = came_last & (work.start_ns[row] - ended <= FOLLOWS_WITHIN_NS)
    return bound


def _runnable_ns(
    work: DeviceWork, stream_waits: StreamWaits, before: Int64s, least_latency_ns: int
) -> Int64s:
    """When each row could have run, had the device been its own: launched, and after all that it awaits."""
    free = np.where(before == NONE, work.launch_start_ns, work.end_ns[before])
    runnable: Int64s = np.maximum(free, work.launch_start_ns + least_latency_ns)
    np.maximum.at(runnable, stream_waits.row, work.end_ns[stream_waits.awaited])
    return runnable


def _just_ended(order: StreamOrder) -> Int64s:
    """The last row to end at or before each row's start, if on another stream and just before it."""
    work = order.work
    by_end = np.argsort(work.end_ns, kind="stable")
    at = np.searchsorted(work.end_ns[by_end], work.start_ns, side="right") - 1
    last = by_end[np.maximum(at, 0)]
    close = (at >= 0) & (work.start_ns - work.end_ns[last] <= FOLLOWS_WITHIN_NS)
    other = (work.device[last] == work.device) & (work.stream[last] != work.stream)
    earlier = work.launch_start_ns[last] <= work.launch_start_ns
    return np.where(close & other & earlier & ~order.is_beside[last], last, NONE)


def _least(values: Int64s, default: int) -> int:
    some: npt.NDArray[np.int64] = values[values >= 0]
    return int(percentile(some, _LEAST_PERCENTILE)) if len(some) else default


_ANY_ENGINE = -1
_CORES = 0

_CLOCK_STEP_NS = 1_000
"""Before 2024 times are whole us: two rows may seem to overlap by one."""

_HELD_UP_NS = 10_000
"""A row that could have run this long before it did was held up, and not just launched late."""


def find_turns(trace: Trace, order: StreamOrder, runnable_ns: Int64s) -> Int64s:
    """For each row the one of another stream that its engine ran before it, if they take turns.

    With a row beside the training it may meet at another time, or not at all.

    Args:
        trace: Of the window.
        order: Of its device rows.
        runnable_ns: When each of them could have run, had its device had nothing else to do.
    """
    work = order.work
    turns = np.full(len(work.rows), NONE, np.int64)
    engine, fills = _engines(trace, work), _fill_the_device(trace, work)
    for device, kind in itertools.product(work.devices, distinct(engine).tolist()):
        rows = np.flatnonzero((work.device == device) & (engine == kind))
        earlier, later = rows[:-1], rows[1:]
        reach = np.maximum.accumulate(work.end_ns[earlier])
        if kind == _ANY_ENGINE or (reach > work.start_ns[later] + _CLOCK_STEP_NS).any():
            continue
        other = work.stream[earlier] != work.stream[later]
        had_to = other & (runnable_ns[later] + _HELD_UP_NS <= work.end_ns[earlier])
        if kind == _CORES and not had_to.any():
            continue
        given_first = work.launch_start_ns[earlier] <= work.launch_start_ns[later]
        takes_turn = other & given_first & fills[earlier] & ~order.is_beside[earlier]
        turns[later] = np.where(takes_turn, earlier, NONE)
    return turns


def _engines(trace: Trace, work: DeviceWork) -> Int64s:
    """What runs each row: the cores, one of the two copy engines, or any that is free."""
    computes = work.is_kernel & ~is_communication(trace, work)
    engine = np.where(computes, _CORES, _ANY_ENGINE)
    for number, pattern in enumerate((r"Memcpy HtoD", r"Memcpy DtoH"), start=1):
        engine[match(trace, work.rows, pattern)] = number
    return engine


def _fill_the_device(trace: Trace, work: DeviceWork) -> npt.NDArray[np.bool_]:
    """Whether each row has a block for every processor; so has one that does not say."""
    blocks = trace.blocks_per_sm.at(work.rows)
    leaves_room: npt.NDArray[np.bool_] = (blocks >= 0) & (blocks < 1)
    return ~leaves_room
