"""When the devices were idle inside the steps, split by the state of their queues.

Idle of a step is its `[start, end)` minus the device's busy union. A moment of it is
*queued* if something launched by then had not started yet (the host was not late), else
*empty*: only empty idle can be won back by removing waits.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from tbprof.analysis.arrays.intervals import Intervals, complement, intersect, overlap_ns, union
from tbprof.analysis.device.device_work import DeviceWork
from tbprof.analysis.events.steps import Steps
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int64s


@dataclass(frozen=True, slots=True, eq=False)
class IdleOfDevice:
    """Idle of one device, one entry a step."""

    device_ns: Int64s
    empty_ns: Int64s

    @property
    def queued_ns(self) -> Int64s:
        return self.device_ns - self.empty_ns


@dataclass(frozen=True, eq=False)
class IdlePieces:
    """Idle of every device that ran something; empty where none did."""

    work: DeviceWork
    steps: Steps

    @cached_property
    def gaps(self) -> dict[int, Intervals]:
        """By device: the moments within the steps at which it was idle."""
        return {device: self._idle(busy) for device, busy in self.work.busy.items()}

    @cached_property
    def empty(self) -> dict[int, Intervals]:
        """By device: the part of its gaps in which nothing was queued."""
        return {
            device: intersect(pieces, complement(self.work.queued[device], *self._reach))
            for device, pieces in self.gaps.items()
        }

    @cached_property
    def by_device(self) -> dict[int, IdleOfDevice]:
        start, end = self.steps.gpu_start_ns, self.steps.gpu_end_ns
        return {
            device: IdleOfDevice(
                device_ns=(end - start) - overlap_ns(busy, start, end),
                empty_ns=overlap_ns(self.empty[device], start, end),
            )
            for device, busy in self.work.busy.items()
        }

    def _idle(self, busy: Intervals) -> Intervals:
        inside = union(self.steps.gpu_start_ns, self.steps.gpu_end_ns)
        return intersect(complement(busy, *self._reach), inside)

    @cached_property
    def _reach(self) -> tuple[int, int]:
        """From before everything to after everything."""
        start = np.concatenate([self.steps.gpu_start_ns, self.work.start_ns])
        end = np.concatenate([self.steps.gpu_end_ns, self.work.end_ns])
        return int(start.min()), int(end.max())


def find_idle(work: DeviceWork, steps: Steps) -> IdlePieces:
    """Nothing is computed until it is asked for."""
    return IdlePieces(work, steps)
