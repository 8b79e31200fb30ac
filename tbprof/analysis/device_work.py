"""What ran on the devices: kernels, copies and memsets, each joined to its launch.

A launch is the runtime or driver call with the same `correlation`. `External id` is not
used: in files of 2022 and 2023 it equals the correlation and names the wrong op.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tbprof.analysis.intervals import Intervals, total_ns, union
from tbprof.analysis.names import matching_rows
from tbprof.model import HealthFact
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, distinct_places, is_among, lookup
from tbprof.trace.columns.columns import Category, Trace
from tbprof.trace.columns.tables import MemoryEvents


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
        """The entries of each device, ascending by start, by device."""
        order = np.argsort(self.device, kind="stable")
        first = np.unique(self.device[order], return_index=True)[1]
        return dict(zip(self.devices, np.split(order, first)[1:], strict=True))

    @property
    def kernels_of(self) -> dict[int, Int64s]:
        """The kernels of each device that ran any, ascending by start, by device."""
        kernels = {device: mine[self.is_kernel[mine]] for device, mine in self.of_device.items()}
        return {device: mine for device, mine in kernels.items() if len(mine)}

    @cached_property
    def busy(self) -> dict[int, Intervals]:
        """The union over all streams of each device, by device."""
        return {
            device: union(self.start_ns[mine], self.end_ns[mine]) for device, mine in self.of_device.items()
        }

    @cached_property
    def ended_by_ns(self) -> dict[int, Int64s]:
        """The time when the last of the entries up to each one ended, by device."""
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
        """The times when something was launched (the call had returned) and not started, by device."""
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


_CPU = 0
_NAMES: Mapping[int, str] = {1: "GPU", 6: "GPU", 12: "GPU", 13: "GPU", 15: "HPU", 19: "MTIA"}
"""Names by c10's number of the kind; all others are a `device`."""


def device_name(kind: int, number: int) -> str:
    """The usual name of a device, from c10's number of its kind and its own number."""
    return "CPU" if kind == _CPU else f"{_NAMES.get(kind, 'device')} {number}"


def allocating_devices(memory: MemoryEvents) -> tuple[tuple[int, int], ...]:
    """Kind and number of each: GPUs in the order of their numbers, the CPU last."""
    kinds, numbers = memory.device_type.astype(np.int64), memory.device.astype(np.int64)
    # Both are numbers of a byte, below 0 where a file is wrong.
    found = (divmod(pair, 256) for pair in distinct(kinds * 256 + numbers + 128).tolist())
    pairs = ((kind, number - 128) for kind, number in found)
    return tuple(sorted(pairs, key=lambda one: (one[0] == _CPU, one)))


def holds_only_allocations(trace: Trace) -> bool:
    """Whether allocators were recorded, and nothing that the host or a device did."""
    memory = trace.memory
    return memory is not None and len(memory) > 0 and not (trace.slices.category != Category.OTHER).any()


_MOST = 0.5
"""The share of the launches, or of the time, from which the window shows a capture, which happens once."""

_BEGIN = r"(?:cuda|hip)StreamBeginCapture"
_END = r"(?:cuda|hip)StreamEndCapture"


def mostly_captured(trace: Trace) -> HealthFact | None:
    """How many launches recorded a graph and ran nothing (`rows`, `of`), where most did or it took most."""
    for fact in trace.health:
        if fact.code == "launches_captured" and (
            int(fact.numbers["rows"]) >= _MOST * int(fact.numbers["of"]) or _captured_share(trace) >= _MOST
        ):
            return fact
    return None


def _captured_share(trace: Trace) -> float:
    """The part of the time from the first to the last runtime call in which a graph was recorded."""
    slices = trace.slices
    calls = np.flatnonzero(slices.category == Category.RUNTIME)
    begins, ends = (matching_rows(trace, name, Category.RUNTIME) for name in (_BEGIN, _END))
    start, end = (np.sort(times, kind="stable") for times in (slices.start_ns[begins], slices.end_of(ends)))
    at = np.searchsorted(end, start)
    whole = at < len(end)
    captured = union(start[whole], end[at[whole]])
    span = int(slices.end_of(calls).max() - slices.start_ns[calls].min())
    return total_ns(captured) / max(span, 1)


def lost_kernels(trace: Trace) -> HealthFact | None:
    """How many launches lack their work (`rows`, `of`), where so many do that the reader warns."""
    for fact in trace.health:
        if fact.code == "launches_without_gpu_rows":
            return fact if fact.severity == "warning" else None
    return None


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
