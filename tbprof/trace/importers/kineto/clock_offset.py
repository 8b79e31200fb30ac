"""A GPU whose clock differs from the host's by as much all through the recording: put right, and said.

No kernel begins before its launch. One that begins late may have waited in a queue; but not each for as long
to a fraction of a millisecond, on a GPU that has pauses all the while.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tbprof.model import HealthFact
from tbprof.trace.columns.arrays import Int64s, find_sorted, is_among
from tbprof.trace.columns.columns import Category, Trace
from tbprof.trace.columns.eras import GPU_WORK
from tbprof.trace.importers.kineto.lost_work import LAUNCH, named

_LEAST_NS = 1_000_000
"""Less is what the files of some drivers are off by."""
_AGREE_NS = 200_000
"""The delays of clocks that differ by a constant differ by those of the launches alone."""
_PARTS = 4
_PAUSED = 0.05
"""The share of the GPU's time in pauses: a full queue keeps the delays of a busy GPU equal, too."""
_ENOUGH = 4
"""Kernels of each part of the recording."""


def with_clocks_aligned(trace: Trace) -> Trace:
    """The trace, with the rows of the GPU moved by the offset that they agree on."""
    delays_ns = _delays_ns(trace)
    parts = np.array_split(delays_ns, _PARTS)
    if min(map(len, parts)) < _ENOUGH:
        return trace
    least_ns = np.array([part.min() for part in parts])
    if np.ptp(least_ns) > _AGREE_NS:
        return trace
    is_behind = any(fact.code == "gpu_before_launch" for fact in trace.health)
    if not (is_behind and least_ns.max() <= -_LEAST_NS) and not _is_ahead(trace, delays_ns):
        return trace
    slices, offset_ns = trace.slices, int(least_ns.min())
    on_gpu = is_among(slices.category, (*GPU_WORK, Category.GPU_ANNOTATION))
    start_ns = np.where(on_gpu, slices.start_ns - offset_ns, slices.start_ns)
    numbers = {"behind_us": -offset_ns / 1000, "rows": int(on_gpu.sum())}
    known = (fact for fact in trace.health if fact.code != "gpu_before_launch")
    health = (*known, HealthFact("gpu_clock_offset", "warning", numbers))
    return replace(trace, slices=replace(slices, start_ns=start_ns), health=health)


def _is_ahead(trace: Trace, delays_ns: Int64s) -> bool:
    """Whether all kernels begin late by as much, and the GPU does nothing for a part of that time."""
    if delays_ns.min() < _LEAST_NS or np.ptp(delays_ns) > _AGREE_NS:
        return False
    rows = np.flatnonzero(is_among(trace.slices.category, GPU_WORK))
    start_ns, end_ns = trace.slices.start_ns[rows], trace.slices.end_of(rows)
    order = np.argsort(start_ns, kind="stable")
    pauses_ns = start_ns[order][1:] - np.maximum.accumulate(end_ns[order])[:-1]
    paused_ns = int(np.maximum(pauses_ns, 0).sum())
    return paused_ns > max(_PAUSED * int(end_ns.max() - start_ns.min()), _AGREE_NS)


def _delays_ns(trace: Trace) -> Int64s:
    """How long after its launch's end each kernel began, in the order of the kernels.

    Before the end it would look as if the launch had waited for it.
    """
    slices = trace.slices
    rows = np.flatnonzero(slices.category == Category.KERNEL)
    rows = rows[np.argsort(slices.start_ns[rows], kind="stable")]
    calls = named(trace, LAUNCH, Category.RUNTIME)
    calls = calls[np.argsort(slices.correlation[calls], kind="stable")]
    at, has_call = find_sorted(slices.correlation[calls], slices.correlation[rows])
    launched = calls[at[has_call]]
    delays: Int64s = (
        slices.start_ns[rows[has_call]] - slices.start_ns[launched] - slices.duration_ns[launched]
    )
    return delays
