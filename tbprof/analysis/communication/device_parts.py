"""What a device did at each moment: computing, exposed communication, copying, or nothing.

A moment is computing if a row runs that is neither communication nor a copy; else exposed
communication if communication runs; else copying. With the idle the parts add up to the steps.
Communication beside computing is overlapped; what that costs the computing nobody has measured.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.intervals import Intervals, intersect, overlap_ns, subtract
from tbprof.analysis.communication.rows import is_communication
from tbprof.analysis.device.device_work import DeviceWork
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int64s
from tbprof.trace.columns.columns import Category, Trace


@dataclass(frozen=True, eq=False)
class DeviceParts:
    """Each part by device; `..._ns` of each span, summed over the devices."""

    trace: Trace
    work: DeviceWork

    @cached_property
    def is_communication(self) -> npt.NDArray[np.bool_]:
        """One entry a row of `work`."""
        return is_communication(self.trace, self.work)

    @cached_property
    def computing(self) -> dict[int, Intervals]:
        is_copy = self.trace.slices.category[self.work.rows] == Category.MEMCPY
        return self._of(~is_copy & ~self.is_communication)

    @cached_property
    def communication(self) -> dict[int, Intervals]:
        """Exposed and overlapped."""
        return self._of(self.is_communication)

    @cached_property
    def communication_exposed(self) -> dict[int, Intervals]:
        return {device: subtract(rows, self.computing[device]) for device, rows in self.communication.items()}

    @cached_property
    def communication_overlapped(self) -> dict[int, Intervals]:
        """Not a part: it is computing, with communication beside it."""
        return {
            device: intersect(rows, self.computing[device]) for device, rows in self.communication.items()
        }

    @cached_property
    def copying(self) -> dict[int, Intervals]:
        return {
            device: subtract(subtract(busy, self.computing[device]), self.communication[device])
            for device, busy in self.work.busy.items()
        }

    def computing_ns(self, start_ns: Int64s, end_ns: Int64s) -> Int64s:
        return _overlap_ns(self.computing, start_ns, end_ns)

    def communication_exposed_ns(self, start_ns: Int64s, end_ns: Int64s) -> Int64s:
        return _overlap_ns(self.communication_exposed, start_ns, end_ns)

    def copying_ns(self, start_ns: Int64s, end_ns: Int64s) -> Int64s:
        return _overlap_ns(self.copying, start_ns, end_ns)

    def _of(self, chosen: npt.NDArray[np.bool_]) -> dict[int, Intervals]:
        work = self.work
        return {device: work.busy_of(chosen & (work.device == device)) for device in work.devices}


def _overlap_ns(by_device: dict[int, Intervals], start_ns: Int64s, end_ns: Int64s) -> Int64s:
    spent = np.zeros(len(start_ns), np.int64)
    for pieces in by_device.values():
        spent += overlap_ns(pieces, start_ns, end_ns)
    return spent
