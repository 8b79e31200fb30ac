"""What host ranges launched on the device."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.intervals import union
from tbprof.analysis.facts import Facts
from tbprof.trace.columns.arrays import NONE, Int64s, distinct


def launched_inside(facts: Facts, rows: Int64s) -> Int64s:
    """Positions in the device work, ascending, of what was launched in one of these rows on its thread."""
    slices, work = facts.trace.slices, facts.work
    found = np.zeros(len(work.rows), np.bool_)
    for lane in distinct(slices.lane[rows]).tolist():
        mine = rows[slices.lane[rows] == lane]
        spans = union(slices.start_ns[mine], slices.end_of(mine))
        if not len(spans):
            continue  # All of them are shorter than what the file tells apart.
        at = np.searchsorted(spans.start_ns, work.launch_start_ns, side="right") - 1
        held = (at >= 0) & (work.launch_start_ns < spans.end_ns[np.maximum(at, 0)])
        found |= held & (work.launch != NONE) & (slices.lane[work.launch] == lane)
    return np.flatnonzero(found)
