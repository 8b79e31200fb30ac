"""What ran on the devices: kernels, copies and memsets, each joined to its launch.

A launch is the runtime or driver call with the same `correlation`. `External id` is not
used: in files of 2022 and 2023 it equals the correlation and names the wrong op.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.intervals import Intervals, union
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, distinct_places, is_among, lookup
from tbprof.trace.columns.columns import Category, Trace


@dataclass(frozen=True, eq=False)
class DeviceWork:
    """One entry for each row that kept a device busy, ascending by start."""

    rows: Int64s
    start_ns: Int64s
    end_ns: Int64s
    device: Int64s
    stream: Int64s
    is_kernel: npt.NDArray[np.bool_]
    launch: Int64s
    """Row of the launching call, or `NONE`."""
    launch_start_ns: Int64s
    launch_end_ns: Int64s
    """Both are the row's own start where the launch is not known."""

    @cached_property
    def devices(self) -> tuple[int, ...]:
        """Numbers of the devices that ran something, ascending."""
        return tuple(distinct(self.device).tolist())

    @cached_property
    def place(self) -> Int64s:
        """A number for the stream of each entry: equal for entries of one stream of one device."""
        lowest = int(self.stream.min(initial=0))
        span = int(self.stream.max(initial=0)) - lowest + 1
        return distinct_places(self.device * span + self.stream - lowest)[1]

    @cached_property
    def launches(self) -> Int64s:
        """Rows of the calls that launched something, ascending, each once."""
        return distinct(self.launch[self.launch != NONE])

    @cached_property
    def of_device(self) -> dict[int, Int64s]:
        """By device: its entries, ascending by start."""
        order = np.argsort(self.device, kind="stable")
        first = np.unique(self.device[order], return_index=True)[1]
        return dict(zip(self.devices, np.split(order, first)[1:], strict=True))

    @cached_property
    def busy(self) -> dict[int, Intervals]:
        """By device: the union over all its streams."""
        return {
            device: union(self.start_ns[mine], self.end_ns[mine]) for device, mine in self.of_device.items()
        }

    @cached_property
    def ended_by_ns(self) -> dict[int, Int64s]:
        """By device: for each of its entries, when the last of those up to it ended."""
        return {device: np.maximum.accumulate(self.end_ns[mine]) for device, mine in self.of_device.items()}

    def between(self, device: int, start_ns: int, end_ns: int) -> Int64s:
        """The entries of the device that ran at some time between two instants."""
        if device not in self.of_device:
            return np.empty(0, np.int64)
        mine = self.of_device[device]
        first = np.searchsorted(self.ended_by_ns[device], start_ns, side="right")
        mine = mine[first : np.searchsorted(self.start_ns[mine], end_ns)]
        return mine[self.end_ns[mine] > start_ns]

    @property
    def launched_kernels(self) -> Int64s:
        """Positions of the kernels whose launch is known."""
        return np.flatnonzero(self.is_kernel & (self.launch != NONE))

    @cached_property
    def queued(self) -> dict[int, Intervals]:
        """By device: when something was launched (the call had returned) and not started."""
        known = self.launch != NONE
        return {
            device: union(self.launch_end_ns[mine], self.start_ns[mine])
            for device in self.devices
            for mine in [known & (self.device == device)]
        }

    @cached_property
    def main_device(self) -> int | None:
        """The busiest one: a step can't get shorter than its work."""
        busy_ns = {d: int((i.end_ns - i.start_ns).sum()) for d, i in self.busy.items()}
        return max(busy_ns, key=lambda device: busy_ns[device], default=None)

    def busy_of(self, chosen: npt.NDArray[np.bool_] | Int64s) -> Intervals:
        """The union over the chosen entries, by a mask or their positions."""
        return union(self.start_ns[chosen], self.end_ns[chosen])


def find_device_work(trace: Trace) -> DeviceWork:
    """Collect and join; a trace without device rows gives an empty record."""
    slices = trace.slices
    kinds = (Category.KERNEL, Category.MEMCPY, Category.MEMSET)
    rows = np.flatnonzero(is_among(slices.category, kinds))
    rows = rows[np.argsort(slices.start_ns[rows], kind="stable")]
    launch = _launches(trace, rows)
    start = slices.start_ns[rows]
    launch_start = np.where(launch == NONE, start, slices.start_ns[launch])
    launch_end = launch_start + np.where(launch == NONE, 0, slices.duration_ns[launch])
    return DeviceWork(
        rows=rows,
        start_ns=start,
        end_ns=start + slices.duration_ns[rows],
        device=trace.device.at(rows),
        stream=trace.stream.at(rows),
        is_kernel=slices.category[rows] == Category.KERNEL,
        launch=launch,
        launch_start_ns=launch_start,
        launch_end_ns=launch_end,
    )


def _launches(trace: Trace, rows: Int64s) -> Int64s:
    """For each device row the runtime row with its correlation; ids start at 1."""
    slices = trace.slices
    calls = np.flatnonzero((slices.category == Category.RUNTIME) & (slices.correlation > 0))
    return lookup(slices.correlation[calls], calls, slices.correlation[rows])
