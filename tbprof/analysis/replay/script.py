"""The loop of the replay: device rows and waits, one after the other as the host came to them.

It is plain Python over lists of ints: each row depends on the one before it, which columns
can't express, and a list is read faster than an array's element.
"""

from __future__ import annotations

import dataclasses
import itertools
from bisect import bisect_right
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import TypeAlias

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


_Row: TypeAlias = "tuple[int, int, int, int, int, int, _Held | None]"
"""A device row: its launch, and what it can't start before. In this order:

- its position, the instant of its launch, and its latency, in ns
- the row before it on its stream, or `NONE`, and the gap from the end of that one, in ns
- the row that must have started before its launch returns, or `NONE`
- what else holds it up; most rows have nothing

There are many, and they are taken apart in each replay: of a plain tuple that takes a third of the time.
"""

_LONG_AGO_NS = -(2**62)
"""When the row began and ended that a row without one before it comes after."""


@dataclass(frozen=True, slots=True)
class _Held:
    """What few rows have."""

    blocked_ns: int
    """For how long the launch was recorded to block for a place in the queue."""
    awaited: tuple[tuple[int, int], ...]
    """Rows of other streams that it waits for, each with the distance from its end, in ns."""
    staged_by: int
    """The episode that copied its data on the host first; without that episode it is not done."""
    staged_ns: int
    """For how long; 0 where none did."""


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

    stretches: tuple[tuple[Sequence[_Row], _Wait | None], ...]
    """The rows up to each wait, and the wait; behind the last one there is none."""
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
    rows, launched_ns = _rows(order, schedule, waits, start_ns, end_ns)
    held = np.flatnonzero((waits.start_ns >= start_ns) & (waits.start_ns < end_ns))
    held = held[np.argsort(waits.start_ns[held], kind="stable")]
    # A copy's call and its wait begin at one instant: first it is issued, then awaited.
    bounds = [0, *np.searchsorted(launched_ns, waits.start_ns[held], side="right").tolist(), len(rows)]
    pieces = [rows[begin:end] for begin, end in itertools.pairwise(bounds)]
    return Script(
        stretches=tuple(zip(pieces, [*_waits(waits, held), None], strict=True)),
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
    lengths = script.lengths_ns
    # The last entry is what `NONE` finds.
    starts, ends = [*script.starts_ns, _LONG_AGO_NS], [*script.ends_ns, _LONG_AGO_NS]
    shift = 0
    shifts: list[tuple[int, int]] = []
    for rows, wait in script.stretches:
        for at, launched, latency, before, gap, queue_head, held in rows:
            arrival = launched - shift
            start = arrival + latency
            blocked = 0
            if held:
                blocked = held.blocked_ns
                start -= held.staged_ns if held.staged_by in removed else 0
                start = max((start, *(ends[row] + distance for row, distance in held.awaited)))
            if blocked or starts[queue_head] > arrival:
                shift += blocked - max(starts[queue_head] - arrival, 0)
                shifts.append((launched, shift))
            # A comparison takes a fifth of the time of `max`.
            if (ready := ends[before] + gap) > start:
                start = ready
            starts[at] = start
            ends[at] = start + lengths[at]
        if wait is not None:
            returned = wait.start_ns - shift + wait.base_ns
            if wait.episode not in removed:
                returned = max((returned, *_awaited_ends(script, wait, wait.start_ns - shift, ends)))
            shift = wait.end_ns - returned
            shifts.append((wait.start_ns, shift))
    return ends[:-1], shifts


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
    """Rows whose launch is known and inside, by the instants of their launches, and these."""
    work = order.work
    inside = (work.launch_start_ns >= start_ns) & (work.launch_start_ns < end_ns)
    launched = np.flatnonzero((work.launch != NONE) & inside & ~order.is_beside)
    head = _queue_heads(work, launched)
    by_launch = np.argsort(work.launch_start_ns[launched], kind="stable")
    launched, head = launched[by_launch], head[by_launch]
    blocked = np.where(head == NONE, 0, work.start_ns[head] - work.launch_start_ns[launched])
    staged_by = np.full(len(work.rows), NONE, np.int64)
    staged_by[waits.staged[waits.staged != NONE]] = waits.episode[waits.staged != NONE]
    staged = np.maximum(schedule.latency_ns[launched] - schedule.least_latency_ns, 0)
    columns = (
        launched.tolist(),
        work.launch_start_ns[launched].tolist(),
        schedule.latency_ns[launched].tolist(),
        schedule.before[launched].tolist(),
        schedule.gap_ns[launched].tolist(),
        head.tolist(),
        itertools.starmap(
            _held,
            zip(
                np.maximum(blocked, 0).tolist(),
                map(schedule.awaited.__getitem__, launched.tolist()),
                staged_by[launched].tolist(),
                np.where(staged_by[launched] == NONE, 0, staged).tolist(),
                strict=True,
            ),
        ),
    )
    return list(zip(*columns, strict=True)), work.launch_start_ns[launched]


def _held(
    blocked_ns: int, awaited: tuple[tuple[int, int], ...], staged_by: int, staged_ns: int
) -> _Held | None:
    return _Held(blocked_ns, awaited, staged_by, staged_ns) if blocked_ns or awaited or staged_ns else None


def _waits(waits: ReplayWaits, chosen: Int64s) -> list[_Wait]:
    columns = (
        waits.episode[chosen].tolist(),
        waits.start_ns[chosen].tolist(),
        waits.end_ns[chosen].tolist(),
        [waits.awaited[wait] for wait in chosen.tolist()],
        waits.device[chosen].tolist(),
        waits.base_ns[chosen].tolist(),
        waits.lag_ns[chosen].tolist(),
    )
    return [_Wait(*values) for values in zip(*columns, strict=True)]


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
