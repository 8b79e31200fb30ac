"""A GPU whose clock is off the host's by as much in every row: put right, and said.

A piece of work begins some us after its call where its device has nothing else to do. Where it begins long
after, or before, and by as much all through the recording, it is the clocks that differ.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tbprof.model import HealthFact
from tbprof.trace.columns.arrays import Int64s, distinct, find_sorted, is_among
from tbprof.trace.columns.columns import Category, Trace
from tbprof.trace.columns.eras import GPU_WORK

_LEAST_NS = 1_000_000
"""Less is what a launch may take, or what the files of some drivers are off by."""
_AGREE_NS = 200_000
"""The delays of clocks that differ by a constant differ by those of the launches alone."""
_PARTS = 4
_ENOUGH = 4
"""Rows of each part of the recording that begin on a device with nothing to do."""


def with_clocks_aligned(trace: Trace) -> Trace:
    """The trace, with the rows of the GPU moved by the offset that they agree on."""
    slices = trace.slices
    delay_ns = _delays_on_idle(trace)
    parts = np.array_split(delay_ns, _PARTS)
    if min(map(len, parts)) < _ENOUGH:
        return trace
    least_ns = np.array([part.min() for part in parts])
    offset_ns = int(least_ns.min())
    usual_ns = float(np.median(delay_ns)) - offset_ns
    if abs(offset_ns) < _LEAST_NS or max(float(np.ptp(least_ns)), usual_ns) > _AGREE_NS:
        return trace
    on_gpu = is_among(slices.category, (*GPU_WORK, Category.SYNC))
    start_ns = np.where(on_gpu, slices.start_ns - offset_ns, slices.start_ns)
    fact = HealthFact(
        "gpu_clock_offset", "warning", {"offset_us": offset_ns / 1000, "rows": int(on_gpu.sum())}
    )
    health = (*(known for known in trace.health if known.code != "gpu_before_launch"), fact)
    return replace(trace, slices=replace(slices, start_ns=start_ns), health=health)


def _delays_on_idle(trace: Trace) -> Int64s:
    """For work that finds its device with nothing to do, how long after its call's end it began, in order.

    Before the end it would look as if the call had waited for it.
    """
    slices = trace.slices
    rows = np.flatnonzero(is_among(slices.category, GPU_WORK))
    calls = np.flatnonzero(is_among(slices.category, (Category.RUNTIME,)))
    calls = calls[np.argsort(slices.correlation[calls], kind="stable")]
    known = slices.correlation[calls]
    is_single = np.ones(len(known), bool)
    is_single[1:] &= known[1:] != known[:-1]
    is_single[:-1] &= known[1:] != known[:-1]
    calls = calls[is_single]
    rows = rows[np.argsort(slices.start_ns[rows], kind="stable")]
    device = trace.device.at(rows)
    is_idle = np.zeros(len(rows), bool)
    for number in distinct(device).tolist():
        mine = np.flatnonzero(device == number)
        ends_ns = np.maximum.accumulate((slices.start_ns + slices.duration_ns)[rows[mine]])
        is_idle[mine[1:]] = slices.start_ns[rows[mine[1:]]] > ends_ns[:-1]
    rows = rows[is_idle]
    at, has_call = find_sorted(slices.correlation[calls], slices.correlation[rows])
    delays: Int64s = (
        slices.start_ns[rows[has_call]] - (slices.start_ns + slices.duration_ns)[calls[at[has_call]]]
    )
    return delays
