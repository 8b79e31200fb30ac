"""What each stream was given, in the order in which the host gave it."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from tbprof.analysis.device_work import DeviceWork
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among
from tbprof.trace.columns.columns import Trace


@dataclass(frozen=True, eq=False)
class StreamOrder:
    """The rows of `DeviceWork`, by stream. A stream is a pair (device, number)."""

    work: DeviceWork
    is_beside: npt.NDArray[np.bool_]
    """Rows of streams that no training lane launched to: a pin thread's, a checkpoint writer's.
    They don't come earlier because the training does."""

    @classmethod
    def of(cls, trace: Trace, work: DeviceWork, lanes: tuple[int, ...]) -> StreamOrder:
        """`lanes` are those of the training."""
        of_training = (work.launch != NONE) & is_among(trace.slices.lane[work.launch], lanes)
        return cls(work, ~is_among(work.place, distinct(work.place[of_training])))

    @cached_property
    def issued_ns(self) -> Int64s:
        """When each row was given to its stream, as far as that is known.

        A row without a launch was given after the row before it on its stream; the first ones
        before everything.
        """
        issued = np.where(self.work.launch == NONE, np.iinfo(np.int64).min, self.work.launch_start_ns)
        for rows in self._by_start.values():
            issued[rows] = np.maximum.accumulate(issued[rows])
        return issued

    @cached_property
    def before(self) -> Int64s:
        """For each row the one that ran before it on its stream, or `NONE`."""
        before = np.full(len(self.work.rows), NONE, np.int64)
        for rows in self._by_start.values():
            before[rows[1:]] = rows[:-1]
        return before

    def streams_of(self, device: int) -> tuple[int, ...]:
        return tuple(stream for stream, _ in self._by_device.get(device, ()))

    def beside(self, device: int) -> tuple[tuple[Int64s, Int64s], ...]:
        """For each stream beside the training: when its rows were given, and when they ended."""
        return tuple(
            (self.issued_ns[rows], self.work.end_ns[rows])
            for _, rows in self._by_device.get(device, ())
            if self.is_beside[rows[0]]
        )

    def last_given(self, device: int, stream: int, instants: Int64s) -> Int64s:
        """The last row that the stream had been given at each instant, or `NONE`."""
        rows = self._by_start.get((device, stream), np.empty(0, np.int64))
        at = np.searchsorted(self.issued_ns[rows], instants, side="right") - 1
        return _at(rows, at)

    def next_given(self, device: int, stream: int, instants: Int64s) -> Int64s:
        """The first row that the stream was given after each instant, or `NONE`."""
        rows = self._by_start.get((device, stream), np.empty(0, np.int64))
        at = np.searchsorted(self.issued_ns[rows], instants, side="right")
        return _at(rows, np.where(at < len(rows), at, -1))

    @cached_property
    def _by_start(self) -> dict[tuple[int, int], Int64s]:
        """A stream runs what it is given in order, so both orders are one."""
        work = self.work
        order = np.argsort(work.place, kind="stable")
        streams = np.split(order, np.cumsum(np.bincount(work.place))[:-1])
        return {(int(work.device[rows[0]]), int(work.stream[rows[0]])): rows for rows in streams if len(rows)}

    @cached_property
    def _by_device(self) -> dict[int, list[tuple[int, Int64s]]]:
        found: dict[int, list[tuple[int, Int64s]]] = {}
        for (device, stream), rows in self._by_start.items():
            found.setdefault(device, []).append((stream, rows))
        return found


def _at(rows: Int64s, at: Int64s) -> Int64s:
    if len(rows) == 0:
        return np.full(len(at), NONE, np.int64)
    return np.where(at < 0, NONE, rows[np.maximum(at, 0)])
