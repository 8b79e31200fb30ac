"""How much of each GPU its kernels took: the three figures of torch-tb-profiler's overview.

They rest on what Kineto says of each kernel. Copies and memsets do not count, and a kernel that waits for
another rank does.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.kernel_table import occupancy
from tbprof.analysis.intervals import Intervals, clip, overlap_ns, total_ns, union
from tbprof.analysis.steps import WINDOW_STEP, Steps, done_on_device, on_device
from tbprof.model import GpuUse
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, is_among
from tbprof.trace.columns.columns import Category

_WHOLE = 100
_CUT_OFF = 0.8
"""The share of the work of the step before from which torch-tb-profiler counts the last one."""


@dataclass(frozen=True, slots=True, eq=False)
class KernelCover:
    """When kernels ran on a device, and the share of its multiprocessors that they covered, at most 1."""

    busy: Intervals
    change_ns: Int64s
    """When the share changes, ascending; none where no kernel says its blocks."""
    covered_ns: npt.NDArray[np.float64]
    """The share's integral from the first change to each one."""

    peak = 1000
    """What stands for a whole device in `in_buckets`."""

    def mean_share(self, edges_ns: Int64s) -> npt.NDArray[np.float64]:
        """The mean share between each two neighbors."""
        if len(self.change_ns) == 0:
            return np.zeros(len(edges_ns) - 1)
        covered = np.interp(edges_ns, self.change_ns, self.covered_ns)
        return np.diff(covered) / np.maximum(np.diff(edges_ns), 1)

    def in_buckets(self, edges_ns: Int64s) -> tuple[Int64s, Int64s]:
        """Between each two neighbors the mean share in thousandths, and how long no kernel ran."""
        share = np.rint(self.mean_share(edges_ns) * self.peak).astype(np.int64)
        start, end = edges_ns[:-1], edges_ns[1:]
        return share, (end - start) - overlap_ns(self.busy, start, end)


def gpu_use(facts: Facts) -> tuple[GpuUse, ...]:
    """One entry for each device that ran a kernel, ascending; none where the window has no length."""
    start_ns, end_ns, steps = _reach_of_steps(facts)
    return tuple(_used(facts, start_ns, end_ns, steps)) if end_ns > start_ns else ()


def _reach_of_steps(facts: Facts) -> tuple[int, int, int]:
    """The start of the first step, the end of all that the steps launched, and the number of these.

    Without steps in the file, all operators and Python functions are one. The first step begins later where
    the device still did what was launched before it. A last step that launched nothing, or less than
    `_CUT_OFF` of the one before, does not count: the profiler stopped before its work was done.
    """
    steps = facts.steps if facts.steps.recorded else _one_step(facts)
    work = facts.work
    launched = steps.index_of(work.launch_start_ns[work.launch != NONE])
    counts = np.bincount(launched[launched != NONE], minlength=len(steps))
    last = int(np.flatnonzero(counts).max(initial=0))
    if last and counts[last] < _CUT_OFF * counts[last - 1]:
        last -= 1
    starts, ends = on_device(work, steps, done_on_device(facts.trace, work, steps))
    return int(starts[0]), int(ends[last]), last + 1


def _one_step(facts: Facts) -> Steps:
    """The host's part of the window as its only step; the window where the host was not recorded."""
    slices = facts.trace.slices
    rows = np.flatnonzero(is_among(slices.category, (Category.CPU_OP, Category.PYTHON)))
    if not len(rows):
        return facts.steps
    start, end = slices.start_ns[rows].min(keepdims=True), slices.end_of(rows).max(keepdims=True)
    return Steps((WINDOW_STEP,), start, end, start, end, (False,), (NONE,))


def _used(facts: Facts, start_ns: int, end_ns: int, steps: int) -> Iterator[GpuUse]:
    edges = np.array([start_ns, end_ns], np.int64)
    for device, kernels in facts.work.kernels_of.items():
        length = _clipped_ns(facts.work, kernels, start_ns, end_ns)
        cover = kernel_cover(facts, kernels)
        is_known = len(cover.change_ns) > 0 and bool((length > 0).any())
        yield GpuUse(
            device=device,
            steps=steps,
            utilization=total_ns(clip(cover.busy, start_ns, end_ns)) / (end_ns - start_ns),
            sm_efficiency=float(cover.mean_share(edges)[0]) if is_known else None,
            occupancy=_mean(occupancy(facts.trace, facts.work.rows[kernels]), length),
        )


def kernel_cover(facts: Facts, kernels: Int64s) -> KernelCover:
    """The cover by kernels of one device; the blocks per multiprocessor of those that run at once add up."""
    work = facts.work
    busy = union(work.start_ns[kernels], work.end_ns[kernels])
    blocks = facts.trace.blocks_per_sm.at(work.rows[kernels]).astype(np.float64)
    known = blocks > 0
    start, end, blocks = work.start_ns[kernels][known], work.end_ns[kernels][known], blocks[known]
    instants = np.concatenate([start, end])
    order = np.argsort(instants, kind="stable")
    running = np.cumsum(np.concatenate([blocks, -blocks])[order])
    # What rounding leaves of kernels that are over is none.
    share = np.where(running < _ROUNDING, 0.0, np.minimum(running, 1.0))
    instants = instants[order]
    covered_ns = np.append(0.0, np.cumsum(np.diff(instants) * share[:-1]))
    return KernelCover(busy, instants, covered_ns[: len(instants)])


_ROUNDING = 1e-6


def _clipped_ns(work: DeviceWork, kernels: Int64s, start_ns: int, end_ns: int) -> Int64s:
    ended = np.clip(work.end_ns[kernels], start_ns, end_ns)
    return ended - np.clip(work.start_ns[kernels], start_ns, end_ns)


def _mean(percent: npt.NDArray[np.float64], length: Int64s) -> float | None:
    """The mean weighted by time, as a share; None where nothing that is known ran."""
    known = np.isfinite(percent) & (length > 0)
    weight = int(length[known].sum())
    return float((percent[known] * length[known]).sum() / weight / _WHOLE) if weight else None
