"""The loop of the replay: device rows and waits, one after the other as the host came to them.

It is plain Python over lists of ints: each row depends on the one before it, which columns
can't express, and a list is read faster than an array's element.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_right
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tbprof.analysis.device.device_work import DeviceWork
from tbprof.analysis.replay.schedule import DeviceSchedule
from tbprof.analysis.replay.streams import StreamOrder
from tbprof.analysis.replay.waits import ReplayWaits
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE
from tbprof.trace.columns.columns import Int64s

__all__ = ["QUEUE_LIMIT", "Script", "play", "stretched", "write_script"]

QUEUE_LIMIT = 1024
"""Launches that CUDA takes before one blocks until an earlier one has started."""


_NOBODY = -1


class _Row(NamedTuple):
    """A device row: its launch, and what it can't start before.

    A tuple, since there are many: it is made and taken apart several times faster than a record.
    """

    at: int
    launched_ns: int
    latency_ns: int
    before: int
    gap_ns: int
    awaited: tuple[tuple[int, int], ...]
    queue_head: int
    """The row that must have started before this one's launch returns, or `NONE`."""
    blocked_ns: int
    """How long the launch was recorded to block for that."""
    staged_by: int
    """The episode that copied its data on the host first, or `_NOBODY`; without it that is not done."""
    staged_ns: int


@dataclass(frozen=True, slots=True)
class _Wait:
    episode: int
    start_ns: int
    end_ns: int
    awaited: tuple[int, ...]
    device: int
    base_ns: int
    lag_ns: int


@dataclass(frozen=True, slots=True)
class Script:
    """What happens, in the order in which the host came to it."""

    events: tuple[_Row | _Wait, ...]
    starts_ns: tuple[int, ...]
    """Of all device rows, as recorded."""
    ends_ns: tuple[int, ...]
    lengths_ns: Sequence[int]
    """What the rows take when they are replayed."""
    beside: Mapping[int, Sequence[tuple[Sequence[int], Sequence[int]]]]
    """By device, for each stream beside the training: when its rows were given, and ended."""


def write_script(
    order: StreamOrder, schedule: DeviceSchedule, waits: ReplayWaits, start_ns: int, end_ns: int
) -> Script:
    """What the host comes to in `[start_ns, end_ns)`.

    Device rows that were launched before, or beside the training, stay as recorded.
    """
    work = order.work
    rows, row_keys = _rows(order, schedule, waits, start_ns, end_ns)
    inside = np.flatnonzero((waits.start_ns >= start_ns) & (waits.start_ns < end_ns))
    held = [
        _Wait(*values)
        for values in zip(
            waits.episode[inside].tolist(),
            waits.start_ns[inside].tolist(),
            waits.end_ns[inside].tolist(),
            [waits.awaited[wait] for wait in inside.tolist()],
            waits.device[inside].tolist(),
            waits.base_ns[inside].tolist(),
            waits.lag_ns[inside].tolist(),
            strict=True,
        )
    ]
    # A copy's call and its wait begin at one instant: first it is issued, then awaited.
    kind = np.repeat([0, 1], [len(rows), len(held)])
    by_time = np.lexsort((kind, np.concatenate([row_keys, waits.start_ns[inside]])))
    both: list[_Row | _Wait] = [*rows, *held]
    return Script(
        events=tuple(both[i] for i in by_time.tolist()),
        starts_ns=tuple(work.start_ns.tolist()),
        ends_ns=tuple(work.end_ns.tolist()),
        lengths_ns=(work.end_ns - work.start_ns).tolist(),
        beside={
            device: [(given.tolist(), ended.tolist()) for given, ended in order.beside(device)]
            for device in work.devices
        },
    )


def stretched(script: Script, lengths_ns: Sequence[int]) -> Script:
    """The same with other lengths of its device rows, one each in their order."""
    return dataclasses.replace(script, lengths_ns=lengths_ns)


def play(script: Script, removed: Container[int]) -> tuple[list[int], list[tuple[int, int]]]:
    """Run it without the waits of the episodes in `removed`.

    Returns:
        The ends of all device rows; and how much earlier than recorded the host is, after each
        instant (as recorded) at which that changed.
    """
    starts, ends, lengths = list(script.starts_ns), list(script.ends_ns), script.lengths_ns
    shift = 0
    shifts: list[tuple[int, int]] = []
    for event in script.events:
        if isinstance(event, _Wait):
            returned = event.start_ns - shift + event.base_ns
            if event.episode not in removed:
                returned = max((returned, *_awaited_ends(script, event, event.start_ns - shift, ends)))
            shift = event.end_ns - returned
            shifts.append((event.start_ns, shift))
            continue
        at, launched, latency, before, gap, awaited, queue_head, blocked, staged_by, staged = event
        arrival = launched - shift
        if queue_head != NONE:
            wait = starts[queue_head] - arrival
            shift += blocked - wait if wait > 0 else blocked
            shifts.append((launched, shift))
        start = arrival + latency - (staged if staged_by in removed else 0)
        # A comparison takes a fifth of the time of `max`.
        if before != NONE and (ready := ends[before] + gap) > start:
            start = ready
        for row, distance in awaited:
            if (ready := ends[row] + distance) > start:
                start = ready
        starts[at] = start
        ends[at] = start + lengths[at]
    return ends, shifts


def _awaited_ends(script: Script, wait: _Wait, at_ns: int, ends: Sequence[int]) -> Iterator[int]:
    """When a wait that begins at this instant sees that each thing which it awaits is done."""
    for row in wait.awaited:
        yield ends[row] + wait.lag_ns
    if wait.device != NONE:
        yield _last_beside(script, wait.device, at_ns) + wait.lag_ns


def _last_beside(script: Script, device: int, at_ns: int) -> int:
    """When the device has done what the streams beside the training had been given at an instant."""
    last = 0
    for given, ended in script.beside[device]:
        count = bisect_right(given, at_ns)
        last = max(last, ended[count - 1] if count else 0)
    return last


def _rows(
    order: StreamOrder, schedule: DeviceSchedule, waits: ReplayWaits, start_ns: int, end_ns: int
) -> tuple[list[_Row], Int64s]:
    """Rows whose launch is known and inside, with the instants of their launches."""
    work = order.work
    inside = (work.launch_start_ns >= start_ns) & (work.launch_start_ns < end_ns)
    launched = np.flatnonzero((work.launch != NONE) & inside & ~order.is_beside)
    head = _queue_heads(work, launched)
    blocked = np.where(head == NONE, 0, work.start_ns[head] - work.launch_start_ns[launched])
    staged_by = np.full(len(work.rows), _NOBODY, np.int64)
    staged_by[waits.staged[waits.staged != NONE]] = waits.episode[waits.staged != NONE]
    columns = (
        launched.tolist(),
        work.launch_start_ns[launched].tolist(),
        schedule.latency_ns[launched].tolist(),
        schedule.before[launched].tolist(),
        schedule.gap_ns[launched].tolist(),
        [schedule.awaited[row] for row in launched.tolist()],
        head.tolist(),
        np.maximum(blocked, 0).tolist(),
        staged_by[launched].tolist(),
        np.maximum(schedule.latency_ns[launched] - schedule.least_latency_ns, 0).tolist(),
    )
    rows = [_Row._make(values) for values in zip(*columns, strict=True)]
    return rows, work.launch_start_ns[launched]


def _queue_heads(work: DeviceWork, launched: Int64s) -> Int64s:
    """The row that was launched `QUEUE_LIMIT` launches before each on its device.

    All rows of a graph are one launch, which is held up once: at its first row.
    """
    heads = np.full(len(launched), NONE, np.int64)
    for device in work.devices:
        mine = np.flatnonzero(work.device[launched] == device)
        mine = mine[np.argsort(work.launch_start_ns[launched[mine]], kind="stable")]
        _, first = np.unique(work.launch[launched[mine]], return_index=True)
        entries = mine[np.sort(first)]
        heads[entries[QUEUE_LIMIT:]] = launched[entries[:-QUEUE_LIMIT]]
    return heads
