"""What the training threads were doing, as far as it explains a device without work."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from tbprof.analysis.attribution.annotations import LOADER
from tbprof.analysis.awaited import Awaited
from tbprof.analysis.calls import ALLOCATOR, LAZY_LOADING, LONG_CALL_NS, Calls
from tbprof.analysis.copy_kinds import DIRECTIONS, MEMORIES
from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.episodes import Episodes
from tbprof.analysis.intervals import NEVER, Intervals, intersect, subtract, union, union_of
from tbprof.analysis.names import match, matching_rows
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category, Trace

_COLLECTIVE = r"(?:gloo|mpi|ucc):|c10d::(?:monitored_)?barrier"
_OF_C10D = r"c10d::"
_COMPILE = r"entire_frame_compile|dynamo_data|_compile\.compile_inner|backend_compile|compile_fx"
_HOOK = r"(?:.*/)?tbprof/hook/(?:trainer_hook\.py\(\d+\): step|turn\.py\(\d+\): catch_up)$"
"""What the hook does between two steps, and after a backward pass. Its other frames may call the program."""
_PAGEABLE = MEMORIES.index("pageable")
_UPLOAD = DIRECTIONS.index("HtoD")
_READ = DIRECTIONS.index("DtoH")
_NOT_RECORDED = MEMORIES.index("")

_AT_ONCE = 8192
_SEVERAL = 2
_SLOWEST_STAGING_NS_PER_BYTE = 10
"""A third of the slowest rate seen (0.29 GB/s, on pages that were touched for the first time); an upload
that takes longer waits for something else."""


class HostLanes:
    """The rows of the training threads alone."""

    def __init__(self, trace: Trace, lanes: tuple[int, ...]) -> None:
        self.trace = trace
        self.lanes = lanes
        self.rows = is_among(trace.slices.lane, lanes)
        """For each row of the trace, whether it is one of theirs."""

    def ranges(self, pattern: str, *categories: Category) -> Intervals:
        """When one of them was inside a row of such a name."""
        rows = matching_rows(self.trace, pattern, *categories)
        return self.during(rows[self.rows[rows]])

    def during(self, rows: Int64s) -> Intervals:
        slices, parts = self.trace.slices, [NEVER]
        # Most rows lie in others, if not in those that stand near: piece by piece little memory is needed.
        for at in range(0, len(rows), _AT_ONCE):
            piece = rows[at : at + _AT_ONCE]
            parts.append(union(slices.start_ns[piece], slices.end_of(piece)))
            if sum(map(len, parts)) > 2 * max(len(parts[0]), _AT_ONCE):
                parts = [union_of(parts)]
        return union_of(parts)

    @cached_property
    def in_torch(self) -> Intervals:
        """When one of them was in an operator or a call of the device's runtime."""
        return self.during(np.flatnonzero(self._of_torch()))

    def in_torch_but_for(self, rows: Int64s) -> Intervals:
        """The same with these rows left out."""
        chosen = self._of_torch()
        chosen[rows] = False
        return self.during(np.flatnonzero(chosen))

    def _of_torch(self) -> npt.NDArray[np.bool_]:
        return self.rows & is_among(self.trace.slices.category, (Category.CPU_OP, Category.RUNTIME))

    def recorded(self) -> Intervals:
        """The interval from the first to the last row of each of them."""
        slices = self.trace.slices
        starts, ends = [], []
        for lane in self.lanes:
            rows = np.flatnonzero(slices.lane == lane)
            starts.append(slices.start_ns[rows].min())
            ends.append((slices.end_of(rows)).max())
        return union(np.array(starts, np.int64), np.array(ends, np.int64))


def host_states(
    lanes: HostLanes, work: DeviceWork, calls: Calls, episodes: Episodes, awaited: Awaited, loading: Int64s
) -> dict[str, Intervals]:
    """The times in which the host was in each state, by cause of `idle_causes.EMPTY_CAUSES`.

    `loading` are the rows of first calls, as `find_loading` finds them.
    """
    ops_and_ranges = (Category.CPU_OP, Category.USER_ANNOTATION)
    trace, slices = lanes.trace, lanes.trace.slices
    held = np.flatnonzero(is_among(episodes.lane, lanes.lanes) & episodes.blocking)
    own = calls.profiler_own
    overhead = np.flatnonzero(slices.category == Category.OVERHEAD)
    loads = matching_rows(trace, LAZY_LOADING, Category.OVERHEAD)
    busy_with_itself = lanes.during(overhead[~is_among(overhead, loads)])
    in_hook = lanes.ranges(_HOOK, Category.PYTHON)
    compiling = lanes.ranges(_COMPILE, *ops_and_ranges)
    in_sync_point = waiting(lanes, episodes)
    return {
        # The compiler and graphs that are captured collect garbage of their own accord.
        "garbage_collection": subtract(_collecting_garbage(lanes), compiling),
        "data": _loading_data(lanes),
        "loading": subtract(union_of((lanes.during(loading), _setting_up(lanes, calls, loading))), compiling),
        "staging": _staging(lanes, work, calls, episodes),
        "allocator": lanes.ranges(ALLOCATOR, Category.RUNTIME),
        "collective": _in_collectives(lanes),
        "sync": _refilling(lanes, work, episodes.end_ns[held], awaited.explained_ns[held]),
        "compile": compiling,
        "profiler": union_of((busy_with_itself, in_hook, union(calls.start_ns[own], calls.end_ns[own]))),
        # This is asked while a device is idle: one that works meanwhile is another one.
        "another_device": intersect(in_sync_point, _any_busy(work)),
        "unrecorded": in_sync_point,
        # Whether a launch was late is known of launches that are tied to what they launched.
        "launch": lanes.recorded() if len(work.launches) else NEVER,
    }


_COLLECTS = r"Python GC$"
"""The row that torch's profiler has for a collection, with frames and where it was asked for."""


def _collecting_garbage(lanes: HostLanes) -> Intervals:
    """Collections on a training thread, and those of others while it needs Python's lock: in no operator."""
    own = lanes.ranges(_COLLECTS, Category.PYTHON)
    hook = lanes.trace.facts
    if hook is None or hook.collections is None:
        return own
    start = np.array(hook.collections.start_ns, np.int64) - lanes.trace.origin_ns
    end = start + np.array(hook.collections.duration_ns, np.int64)
    threads = [lanes.trace.lanes[lane].thread for lane in lanes.lanes]
    is_own = np.array([str(thread) in threads for thread in hook.collections.thread], np.bool_)
    others = subtract(union(start[~is_own], end[~is_own]), lanes.in_torch)
    return union_of((own, union(start[is_own], end[is_own]), others))


def _setting_up(lanes: HostLanes, calls: Calls, loading: Int64s) -> Intervals:
    """What operators of torch that make a first call do without a call, for as long as a first call takes.

    A library that is set up works on the host, too: cuDNN before its first convolution, cuBLAS before its
    first product.
    """
    slices = lanes.trace.slices
    first = loading[slices.category[loading] == Category.RUNTIME]
    op = calls.ops.innermost(
        slices.lane[first].astype(np.int64), slices.start_ns[first], slices.end_of(first)
    )
    rows = calls.ops.rows[distinct(op[op != NONE])]
    inside = lanes.during(rows[match(lanes.trace, rows, "aten::")])
    runtime = np.flatnonzero(lanes.rows & (slices.category == Category.RUNTIME)) if len(inside) else first
    rest = subtract(inside, lanes.during(runtime))
    long = rest.end_ns - rest.start_ns >= LONG_CALL_NS
    return Intervals(rest.start_ns[long], rest.end_ns[long])


def waiting(lanes: HostLanes, episodes: Episodes) -> Intervals:
    """When a training thread was in a sync point."""
    held = np.flatnonzero(is_among(episodes.lane, lanes.lanes) & episodes.blocking)
    return union(episodes.start_ns[held], episodes.end_ns[held])


def _loading_data(lanes: HostLanes) -> Intervals:
    """In the data loader; that of another thread counts while the training threads do nothing."""
    rows = matching_rows(lanes.trace, LOADER, Category.CPU_OP, Category.USER_ANNOTATION)
    own = lanes.rows[rows]
    if own.any() or len(rows) == 0:
        return lanes.during(rows[own])
    return subtract(lanes.during(rows), _in_other_work(lanes))


def _in_collectives(lanes: HostLanes) -> Intervals:
    """A thread of gloo's runs what a training thread began, and may have to wait for at once."""
    rows = matching_rows(lanes.trace, _COLLECTIVE, Category.CPU_OP, Category.USER_ANNOTATION)
    own = lanes.rows[rows]
    inside = lanes.during(rows[own])
    if own.all():
        return inside
    return union_of((subtract(lanes.during(rows[~own]), _in_other_work(lanes)), inside))


def _in_other_work(lanes: HostLanes) -> Intervals:
    """When a training thread was in an op or a call, but for those that hand over to a collective."""
    return lanes.in_torch_but_for(matching_rows(lanes.trace, _OF_C10D, Category.CPU_OP))


def _any_busy(work: DeviceWork) -> Intervals:
    if len(work.devices) < _SEVERAL:
        return NEVER
    return union_of([work.busy[device] for device in work.devices])


def _staging(lanes: HostLanes, work: DeviceWork, calls: Calls, episodes: Episodes) -> Intervals:
    """In copies of pageable memory: an upload before it is on its way, a read once it has arrived.

    ROCm does not record the memory: there every upload stages its own.
    """
    of_training = is_among(episodes.lane, lanes.lanes) & (episodes.record != NONE)
    pageable, unknown = episodes.memory == _PAGEABLE, episodes.memory == _NOT_RECORDED
    upload = of_training & (episodes.direction == _UPLOAD) & (pageable | unknown)
    read = of_training & (episodes.direction == _READ) & pageable
    last = np.where(episodes.blocking, episodes.end_ns, calls.end_ns[episodes.first])
    at_most = episodes.start_ns + episodes.bytes * _SLOWEST_STAGING_NS_PER_BYTE
    arrived = work.end_ns[episodes.record] if len(work.rows) else episodes.start_ns
    start = np.where(read, np.maximum(arrived, episodes.start_ns), episodes.start_ns)
    end = np.where(read, last, np.minimum(last, at_most))
    return union(start[upload | read], end[upload | read])


def _refilling(lanes: HostLanes, work: DeviceWork, returned_ns: Int64s, explained_ns: Int64s) -> Intervals:
    """The time from each return to the first launch of a training thread after it, at most what was
    explained.
    """
    launches = work.launches
    slices = lanes.trace.slices
    starts = np.sort(slices.start_ns[launches[is_among(slices.lane[launches], lanes.lanes)]], kind="stable")
    at = np.searchsorted(starts, returned_ns, side="left")
    last = int((slices.end_ns).max()) if len(slices) else 0
    return union(returned_ns, np.minimum(np.append(starts, last)[at], returned_ns + explained_ns))
