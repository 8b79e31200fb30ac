"""What the training threads were doing, as far as it explains a device without work."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.calls import Calls
from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.episodes import Episodes
from tbprof.analysis.intervals import Intervals, union
from tbprof.analysis.names import matching_rows
from tbprof.trace.columns import Category, Int64s, Trace

__all__ = ["EMPTY_CAUSES", "LOADER", "HostLanes", "host_states"]

EMPTY_CAUSES = ("data", "sync", "allocator", "compile", "profiler", "unrecorded", "launch")
"""Causes of idle with an empty queue, in the order in which a moment is given to one:

- `data`: a training thread is in the data loader.
- `sync`: between a sync point's return and the first launch after it.
- `allocator`: in a call that allocates or frees memory.
- `compile`: torch.compile is at work.
- `profiler`: CUPTI is, or the profiler ends the window.
- `unrecorded`: inside a wait, with nothing recorded to wait for.
- `launch`: the host was late for another reason.
"""

LOADER = r"enumerate\(DataLoader\)"
"""Beginning of the ranges that torch opens around each `next` of a data loader."""
_ALLOCATOR = (
    r"(?:cuda|hip)(?:Malloc|Free|HostAlloc|HostFree|HostRegister|HostUnregister|HostMalloc|MemPool)"
    r"|cuMem(?:Alloc|Free|Create|Map|Unmap|Release|AddressReserve|AddressFree|SetAccess)"
)
_COMPILE = r"entire_frame_compile|dynamo_data|_compile\.compile_inner|backend_compile|compile_fx"


class HostLanes:
    """The rows of the training threads alone."""

    def __init__(self, trace: Trace, lanes: tuple[int, ...]) -> None:
        self.trace = trace
        self.lanes = lanes
        self._on_lanes = np.isin(trace.slices.lane, lanes)

    def ranges(self, pattern: str, *categories: Category) -> Intervals:
        """When one of them was inside a row of such a name."""
        rows = matching_rows(self.trace, pattern, *categories)
        return self.during(rows[self._on_lanes[rows]])

    def during(self, rows: Int64s) -> Intervals:
        slices = self.trace.slices
        return union(slices.start_ns[rows], slices.start_ns[rows] + slices.duration_ns[rows])

    def recorded(self) -> Intervals:
        """From the first to the last row of each of them."""
        slices = self.trace.slices
        starts, ends = [], []
        for lane in self.lanes:
            rows = np.flatnonzero(slices.lane == lane)
            starts.append(slices.start_ns[rows].min())
            ends.append((slices.start_ns[rows] + slices.duration_ns[rows]).max())
        return union(np.array(starts, np.int64), np.array(ends, np.int64))


def host_states(
    lanes: HostLanes, work: DeviceWork, calls: Calls, episodes: Episodes
) -> dict[str, Intervals]:
    """By cause, in the order of `EMPTY_CAUSES`, when the host was in that state."""
    ops_and_ranges = (Category.CPU_OP, Category.USER_ANNOTATION)
    slices = lanes.trace.slices
    held = np.flatnonzero(np.isin(episodes.lane, lanes.lanes) & episodes.blocking)
    own = calls.profiler_own
    overhead = lanes.during(np.flatnonzero(slices.category == Category.OVERHEAD))
    return {
        "data": lanes.ranges(LOADER, *ops_and_ranges),
        "sync": _until_next_launch(lanes, work, episodes.end_ns[held]),
        "allocator": lanes.ranges(_ALLOCATOR, Category.RUNTIME),
        "compile": lanes.ranges(_COMPILE, *ops_and_ranges),
        "profiler": union(
            np.concatenate([overhead.start_ns, calls.start_ns[own]]),
            np.concatenate([overhead.end_ns, calls.end_ns[own]]),
        ),
        "unrecorded": union(episodes.start_ns[held], episodes.end_ns[held]),
        "launch": lanes.recorded(),
    }


def _until_next_launch(lanes: HostLanes, work: DeviceWork, returned_ns: Int64s) -> Intervals:
    """From each return to the first launch of a training thread after it; to the end if there is none."""
    launches = work.launches
    slices = lanes.trace.slices
    starts = np.sort(slices.start_ns[launches[np.isin(slices.lane[launches], lanes.lanes)]])
    at = np.searchsorted(starts, returned_ns, side="left")
    last = int((slices.start_ns + slices.duration_ns).max()) if len(slices) else 0
    return union(returned_ns, np.append(starts, last)[at])
