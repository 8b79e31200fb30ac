"""What each lane of the host launched, in the order in which it did."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from tbprof.analysis.device.device_work import DeviceWork
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.columns import Trace


@dataclass(frozen=True, eq=False)
class LaunchOrder:
    trace: Trace
    work: DeviceWork

    def last_before(self, lane: int, instant_ns: int) -> int:
        """Position in `DeviceWork` of what the lane launched last before an instant, or `NONE`."""
        entries, launched_ns = self._of_lane.get(lane, _NOTHING)
        at = int(np.searchsorted(launched_ns, instant_ns))
        return NONE if at == 0 else int(entries[at - 1])

    def first_from(self, lane: int, instant_ns: int) -> int:
        """Position in `DeviceWork` of what the lane launched first from an instant on, or `NONE`."""
        entries, launched_ns = self._of_lane.get(lane, _NOTHING)
        at = int(np.searchsorted(launched_ns, instant_ns))
        return NONE if at == len(entries) else int(entries[at])

    @cached_property
    def _of_lane(self) -> dict[int, tuple[Int64s, Int64s]]:
        """Entries and when they were launched."""
        work = self.work
        known = np.flatnonzero(work.launch != NONE)
        lane = self.trace.slices.lane[work.launch[known]]
        known = known[np.lexsort((work.launch_start_ns[known], lane))]
        lanes, first = np.unique(self.trace.slices.lane[work.launch[known]], return_index=True)
        parts = np.split(known, first)[1:]
        return {
            number: (entries, work.launch_start_ns[entries])
            for number, entries in zip(lanes.tolist(), parts, strict=True)
        }


_NOTHING = np.empty(0, np.int64), np.empty(0, np.int64)
