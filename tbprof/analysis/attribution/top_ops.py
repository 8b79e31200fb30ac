"""The ops that the program itself called: those that lie in no other, with what they launched."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.nesting import nested_order
from tbprof.analysis.device.device_work import DeviceWork
from tbprof.analysis.events.steps import Steps
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int32s, Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category, Trace


@dataclass(frozen=True, slots=True, eq=False)
class TopOps:
    """One entry an op, ascending by (lane, start); those that start in a step, on a training thread."""

    rows: Int64s
    lane: Int64s
    kernels: Int64s
    """How many it launched, with the ops in it."""
    device_ns: Int64s
    """How long these took."""
    shortest_ns: Int64s
    """The shortest of them; 0 where it launched none."""
    of_work: Int64s
    """For each entry of `DeviceWork` the position of the op that launched it, or `NONE`."""

    def __len__(self) -> int:
        return len(self.rows)


def find_top_ops(trace: Trace, work: DeviceWork, steps: Steps, threads: tuple[int, ...]) -> TopOps:
    """All of a window."""
    slices = trace.slices
    rows = np.flatnonzero((slices.category == Category.CPU_OP) & is_among(slices.lane, threads))
    rows = rows[steps.index_of(slices.start_ns[rows]) != NONE]
    rows = rows[nested_order(slices, rows)]
    rows = rows[_is_outermost(slices.lane[rows], slices.start_ns[rows], slices.end_of(rows))]
    lane = slices.lane[rows].astype(np.int64)
    of_work = _launching(trace, work, rows, lane)
    known = np.flatnonzero((of_work != NONE) & work.is_kernel)
    length = (work.end_ns - work.start_ns)[known]
    kernels = np.bincount(of_work[known], minlength=len(rows))
    device_ns = np.bincount(of_work[known], length, len(rows)).astype(np.int64)
    shortest = np.full(len(rows), np.iinfo(np.int64).max)
    np.minimum.at(shortest, of_work[known], length)
    return TopOps(rows, lane, kernels, device_ns, np.where(kernels > 0, shortest, 0), of_work)


def _is_outermost(
    lane: Int32s, start_ns: Int64s, end_ns: Int64s
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Of ops in order, those that begin when all before them on their lane have ended."""
    outermost = np.ones(len(lane), np.bool_)
    for one in distinct(lane).tolist():
        mine = np.flatnonzero(lane == one)
        reach = np.maximum.accumulate(end_ns[mine])
        outermost[mine[1:]] = start_ns[mine[1:]] >= reach[:-1]
    return outermost


def _launching(trace: Trace, work: DeviceWork, rows: Int64s, lane: Int64s) -> Int64s:
    slices = trace.slices
    found = np.full(len(work.rows), NONE, np.int64)
    launched = np.flatnonzero(work.launch != NONE)
    of_launch = slices.lane[work.launch[launched]]
    for one in distinct(lane).tolist():
        mine = np.flatnonzero(lane == one)
        here = launched[of_launch == one]
        at = np.searchsorted(slices.start_ns[rows[mine]], work.launch_start_ns[here], side="right") - 1
        held = (at >= 0) & (work.launch_start_ns[here] < slices.end_of(rows[mine])[np.maximum(at, 0)])
        found[here[held]] = mine[at[held]]
    return found
