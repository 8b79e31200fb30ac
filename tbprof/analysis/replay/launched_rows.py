"""The device rows that the host launches in the stretch that is replayed, and what holds them up."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.replay.schedule import DeviceSchedule
from tbprof.analysis.replay.streams import StreamOrder
from tbprof.analysis.replay.waits import ReplayWaits
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s

QUEUE_LIMIT = 1024
"""Launches that CUDA takes before one blocks until an earlier one has started."""


@dataclass(frozen=True, eq=False)
class LaunchedRows:
    """One entry a row, numbered by the instants of their launches."""

    order: StreamOrder
    schedule: DeviceSchedule
    waits: ReplayWaits
    rows: Int64s
    """In `DeviceWork`."""

    @classmethod
    def of(
        cls, order: StreamOrder, schedule: DeviceSchedule, waits: ReplayWaits, start_ns: int, end_ns: int
    ) -> LaunchedRows:
        """The rows of the training whose launch is known and in `[start_ns, end_ns)`."""
        launch_ns = order.work.launch_start_ns
        inside = (launch_ns >= start_ns) & (launch_ns < end_ns)
        launched = np.flatnonzero((order.work.launch != NONE) & inside & ~order.is_beside)
        return cls(order, schedule, waits, launched[np.argsort(launch_ns[launched], kind="stable")])

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def launched_ns(self) -> Int64s:
        return self.order.work.launch_start_ns[self.rows]

    @cached_property
    def latency_ns(self) -> Int64s:
        return self.schedule.latency_ns[self.rows]

    @cached_property
    def gap_ns(self) -> Int64s:
        return self.schedule.gap_ns[self.rows]

    @cached_property
    def before(self) -> Int64s:
        """The row of `DeviceWork` that ran before each on its stream, or `NONE`."""
        return self.schedule.before[self.rows]

    @cached_property
    def awaited(self) -> list[tuple[tuple[int, int], ...]]:
        """Rows of `DeviceWork` that each has to wait for, each with the distance from its end."""
        return [self.schedule.awaited[row] for row in self.rows.tolist()]

    @cached_property
    def by_stream(self) -> Int64s:
        """The numbers, stream by stream as they ran."""
        return np.lexsort((self.rows, self.order.work.place[self.rows]))

    def numbers_of(self, rows: Int64s) -> Int64s:
        """The number of each row of `DeviceWork`, `NONE` for those that are not here and for `NONE`."""
        return self._numbers[rows]

    @cached_property
    def _numbers(self) -> Int64s:
        # The last entry is what `NONE` finds.
        numbers = np.full(len(self.order.work.rows) + 1, NONE, np.int64)
        numbers[self.rows] = np.arange(len(self.rows))
        return numbers

    @cached_property
    def queue_head(self) -> Int64s:
        """The row of `DeviceWork` that must have started before the launch of each returns, or `NONE`."""
        return _queue_heads(self.order.work, self.rows)

    @cached_property
    def blocked_ns(self) -> Int64s:
        """For how long its launch was recorded to block for a place in the queue."""
        late = self.order.work.start_ns[self.queue_head] - self.launched_ns
        return np.maximum(np.where(self.queue_head == NONE, 0, late), 0)

    @cached_property
    def staged_by(self) -> Int64s:
        """The episode that copied its data on the host first, or `NONE`."""
        waits, episodes = self.waits, np.full(len(self.order.work.rows), NONE, np.int64)
        episodes[waits.staged[waits.staged != NONE]] = waits.episode[waits.staged != NONE]
        return episodes[self.rows]

    @cached_property
    def staged_ns(self) -> Int64s:
        """For how long that did."""
        took = np.maximum(self.latency_ns - self.schedule.least_latency_ns, 0)
        return np.where(self.staged_by == NONE, 0, took)

    @cached_property
    def held(self) -> Int64s:
        """The numbers of those that more than their launch and the row before them holds up."""
        awaits = np.fromiter(map(bool, self.awaited), np.bool_, len(self))
        return np.flatnonzero(awaits | (self.blocked_ns > 0) | (self.staged_ns > 0))


def _queue_heads(work: DeviceWork, launched: Int64s) -> Int64s:
    """The row that was launched `QUEUE_LIMIT` launches before each on its device.

    All rows of a graph are one launch, which is held up once: at its first row.
    """
    heads = np.full(len(launched), NONE, np.int64)
    for device in work.devices:
        mine = np.flatnonzero(work.device[launched] == device)
        mine = mine[np.argsort(work.launch_start_ns[launched[mine]], kind="stable")]
        _, first = np.unique(work.launch[launched[mine]], return_index=True)
        entries = mine[np.sort(first, kind="stable")]
        heads[entries[QUEUE_LIMIT:]] = launched[entries[:-QUEUE_LIMIT]]
    return heads
