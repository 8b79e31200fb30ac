"""How long copies take on the devices, and how much of that no kernel hides."""

from __future__ import annotations

from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.episodes import Episodes
from tbprof.analysis.intervals import Intervals, overlap_ns
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.columns import Category, Trace

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Transfers:
    """Device time of copies, of each episode."""

    trace: Trace
    work: DeviceWork
    episodes: Episodes

    @cached_property
    def computing(self) -> dict[int, Intervals]:
        """The times when a kernel ran or memory was set, whatever was copied beside it, by device."""
        return {
            device: self.work.busy_of(~self._is_copy & (self.work.device == device))
            for device in self.work.devices
        }

    @cached_property
    def device_ns(self) -> Int64s:
        """The length of each episode's copy on the device, 0 without a device row."""
        copied = self.episodes.record != NONE
        length = self.work.end_ns - self.work.start_ns
        spent = np.zeros(len(copied), np.int64)
        spent[copied] = length[self.episodes.record[copied]]
        return spent

    @cached_property
    def bytes_per_s(self) -> Floats:
        """The speed of each episode's copy, as recorded, else by its length; NaN without one.

        Older files tell times in whole us, and a copy of few of them looks up to twice as fast or as slow.
        """
        copied = np.flatnonzero((self.episodes.record != NONE) & (self.device_ns > 0))
        recorded = self.trace.bandwidth_gb_s.at(self.work.rows[self.episodes.record[copied]]).astype(
            np.float64
        )
        by_length = self.episodes.bytes[copied] / self.device_ns[copied]
        speed = np.full(len(self.device_ns), np.nan)
        speed[copied] = np.where(recorded > 0, recorded, by_length) * 1e9
        return speed

    @cached_property
    def exposed_ns(self) -> Int64s:
        """The part of `device_ns` of each episode during which the device computed nothing."""
        record = self.episodes.record
        hidden = np.zeros(len(record), np.int64)
        for device, busy in self.computing.items():
            mine = np.flatnonzero((record != NONE) & (self.work.device[record] == device))
            rows = record[mine]
            hidden[mine] = overlap_ns(busy, self.work.start_ns[rows], self.work.end_ns[rows])
        return self.device_ns - hidden

    @property
    def _is_copy(self) -> npt.NDArray[np.bool_]:
        is_copy: npt.NDArray[np.bool_] = self.trace.slices.category[self.work.rows] == Category.MEMCPY
        return is_copy
