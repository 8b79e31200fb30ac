"""The rows that had to wait for a row of another stream, by what the host queued on the streams.

`cudaStreamWaitEvent` makes all that its stream is given later wait for all that another stream
had been given when the event was recorded. Such a wait may not have held anything up in the
window, and do so once the host comes earlier: so it is kept whether it bound or not.

A `cuda_sync` row names both streams. Since CUDA 12.9 it doesn't, and often there is none: then
the streams are those of the launches around the two calls, as `wait_stream` is used (record
on the stream that was launched to last, wait on the one that is launched to next). A wait that
the recorded times contradict is none.

Frees of device memory that hold up the training, as the replay needs them.

A free waits until its device has done all that it was given, as a sync call does: where a wait before it
goes, it waits in its place. What it takes besides comes after that. No trace says which device it was, so
that it awaits each one that was done by its return; for any other it has not waited.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.intervals import distinct_lines
from tbprof.analysis.names import matching_rows
from tbprof.analysis.replay.streams import StreamOrder
from tbprof.analysis.replay.waits import ReplayWaits, is_dry
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import CLOCK_SLACK_NS, NONE, Int32s, Int64s, lookup
from tbprof.trace.columns.columns import Category, Slices, Trace


@dataclass(frozen=True, slots=True, eq=False)
class StreamWaits:
    """Pairs of positions in `DeviceWork`: `row` can't start before `awaited` has ended."""

    row: Int64s
    awaited: Int64s
    are_recorded: bool
    """Whether the window shows any stream wait at all."""


@dataclass(frozen=True, slots=True, eq=False)
class _QueuedWaits:
    """What the host said: `waiting` of a device waits for what `awaited` had at `recorded_ns`."""

    at_ns: Int64s
    recorded_ns: Int64s
    device: Int64s
    waiting: Int64s
    awaited: Int64s


def find_stream_waits(trace: Trace, order: StreamOrder) -> StreamWaits:
    """All of the window, named or guessed, less those that the recorded times contradict."""
    named = _named(trace)
    queued = named if len(named.at_ns) else _guessed(trace, order.work)
    row = np.full(len(queued.at_ns), NONE, np.int64)
    awaited = row.copy()
    streams, _ = distinct_lines(np.stack([queued.device, queued.waiting, queued.awaited], axis=1))
    for device, waiting, other in streams.tolist():
        mine = (queued.device == device) & (queued.waiting == waiting) & (queued.awaited == other)
        row[mine] = order.next_given(device, waiting, queued.at_ns[mine])
        awaited[mine] = order.last_given(device, other, queued.recorded_ns[mine])
    found = (row != NONE) & (awaited != NONE)
    row, awaited = row[found], awaited[found]
    kept = order.work.end_ns[awaited] <= order.work.start_ns[row]
    return StreamWaits(row[kept], awaited[kept], are_recorded=len(queued.at_ns) > 0)


def _named(trace: Trace) -> _QueuedWaits:
    rows = matching_rows(trace, "Stream Wait Event", Category.SYNC)
    waiting, awaited = trace.stream.at(rows), trace.awaited_stream.at(rows)
    known = (waiting >= 0) & (awaited >= 0)
    rows = rows[known]
    at = trace.slices.start_ns[rows]
    return _QueuedWaits(
        at, _record_times(trace, rows, at), trace.device.at(rows), waiting[known], awaited[known]
    )


def _record_times(trace: Trace, rows: Int64s, otherwise: Int64s) -> Int64s:
    """When the events were recorded; `otherwise` where the row doesn't name the call."""
    slices = trace.slices
    calls = np.flatnonzero((slices.category == Category.RUNTIME) & (slices.correlation > 0))
    call = lookup(slices.correlation[calls], calls, trace.awaited_record.at(rows))
    return np.where(call == NONE, otherwise, slices.start_ns[call])


def _guessed(trace: Trace, work: DeviceWork) -> _QueuedWaits:
    """The waits guessed from the calls alone: thread by thread, the launches around each record and wait."""
    slices = trace.slices
    waits = matching_rows(trace, r"(cuda|hip)StreamWaitEvent", Category.RUNTIME)
    records = matching_rows(trace, r"(cuda|hip)EventRecord", Category.RUNTIME)
    launches = np.flatnonzero(work.launch != NONE)
    kind = np.repeat([0, 1, 2], [len(launches), len(records), len(waits)])
    rows = np.concatenate([work.launch[launches], records, waits])
    # Of a record and a wait nobody asks for them.
    none = np.full(len(records) + len(waits), NONE, np.int64)
    device, stream = (np.concatenate([column[launches], none]) for column in (work.device, work.stream))
    order = np.lexsort((slices.start_ns[rows], slices.lane[rows]))
    order = order[~_repeats(kind[order], slices.lane[rows][order], device[order], stream[order])]
    columns = (slices.lane[rows], kind, slices.start_ns[rows], device, stream)
    queued: list[tuple[int, int, int, int, int]] = []
    around = _Around()
    for lane, what, at_ns, *launched in zip(*(one[order].tolist() for one in columns), strict=True):
        around = around if around.lane == lane else _Around(lane)
        if what == 0:
            queued += around.launch(*launched)
        elif what == 1:
            around.record(at_ns)
        else:
            around.wait(at_ns)
    return _QueuedWaits(*np.array(queued, np.int64).reshape(-1, 5).T)


def _repeats(kind: Int64s, lane: Int32s, device: Int64s, stream: Int64s) -> npt.NDArray[np.bool_]:
    """Launches that come right after one of their thread to the same stream: most do, and say nothing."""
    repeats = np.zeros(len(kind), np.bool_)
    repeats[1:] = (kind[1:] == 0) & (kind[:-1] == 0)
    for column in (lane, device, stream):
        repeats[1:] &= column[1:] == column[:-1]
    return repeats


class _Around:
    """One thread while it is walked through: the streams it launched to, its records and waits."""

    def __init__(self, lane: int = -1) -> None:
        self.lane = lane
        self._last = (NONE, NONE)
        self._other = NONE
        """The stream, of the same device, that was launched to before the last one."""
        self._recorded: tuple[int, int, int] | None = None
        self._waits: list[tuple[int, int, int, int]] = []

    def record(self, at_ns: int) -> None:
        self._recorded = (at_ns, self._last[1], self._other)

    def wait(self, at_ns: int) -> None:
        if self._recorded is not None:
            self._waits.append((at_ns, *self._recorded))

    def launch(self, device: int, stream: int) -> list[tuple[int, int, int, int, int]]:
        """The waits that this launch shows to be its stream's."""
        queued = [
            (at, recorded, device, stream, last if last != stream else other)
            for at, recorded, last, other in self._waits
            if (last if last != stream else other) != NONE
        ]
        self._waits = []
        if (device, stream) != self._last:
            self._other = self._last[1] if self._last[0] == device else NONE
            self._last = (device, stream)
        return queued


_LONG_AGO_NS = -(2**62)


def with_frees(waits: ReplayWaits, order: StreamOrder, slices: Slices, frees: Int64s) -> ReplayWaits:
    """The waits, and these calls among them."""
    if len(frees) == 0 or len(order.work.rows) == 0:
        return waits
    return _merged(waits, _free_waits(order, slices.start_ns[frees], slices.end_of(frees)))


def _free_waits(order: StreamOrder, start: Int64s, end: Int64s) -> ReplayWaits:
    device, done, awaited = _awaited(order, start, end)
    held = done > start
    own = end - np.clip(done, start, end)
    none = np.full(len(start), NONE, np.int64)
    return ReplayWaits(
        episode=none,
        start_ns=start,
        end_ns=end,
        awaited=tuple(map(tuple, awaited)),
        device=device,
        base_ns=own,
        lag_ns=own,
        staged=none,
        drains=held & is_dry(order, start, end),
    )


def _awaited(order: StreamOrder, start: Int64s, end: Int64s) -> tuple[Int64s, Int64s, list[list[int]]]:
    """For each free the device that was done last, or `NONE`, when it was, and the rows that it awaited."""
    device, last = np.full(len(start), NONE, np.int64), np.full(len(start), _LONG_AGO_NS, np.int64)
    awaited: list[list[int]] = [[] for _ in start]
    for number in order.work.devices:
        given = np.stack([order.last_given(number, stream, start) for stream in order.streams_of(number)])
        done = np.where(given == NONE, _LONG_AGO_NS, order.work.end_ns[given]).max(axis=0)
        is_done = done <= end + CLOCK_SLACK_NS
        later = is_done & (done > last)
        device[later], last[later] = number, done[later]
        is_row = is_done & (given != NONE) & ~order.is_beside[given]
        for stream, at in zip(*np.nonzero(is_row), strict=True):
            awaited[at].append(int(given[stream, at]))
    return device, last, awaited


def _merged(some: ReplayWaits, others: ReplayWaits) -> ReplayWaits:
    starts = np.concatenate([some.start_ns, others.start_ns])
    order = np.argsort(starts, kind="stable")
    awaited = (*some.awaited, *others.awaited)
    return ReplayWaits(
        awaited=tuple(awaited[at] for at in order.tolist()),
        **{
            name: np.concatenate([getattr(some, name), getattr(others, name)])[order]
            for name in ("episode", "start_ns", "end_ns", "device", "base_ns", "lag_ns", "staged", "drains")
        },
    )
