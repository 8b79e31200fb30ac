"""When the host was launching certain work: what it is spared where these launches go."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.intervals import Intervals, union
from tbprof.analysis.facts import Facts
from tbprof.trace.columns.arrays import NONE
from tbprof.trace.columns.columns import Int64s

__all__ = ["launching"]


def launching(facts: Facts, work: Int64s, longest_ns: int) -> Intervals:
    """For each of this device work from the launch before it on its thread to the end of its own.

    Args:
        facts: Of the window.
        work: Positions in the device work.
        longest_ns: From here on a pause before a launch is no part of it.
    """
    slices = facts.trace.slices
    launches = np.unique(facts.work.launches)
    order = np.lexsort((slices.start_ns[launches], slices.lane[launches]))
    launches = launches[order]
    start, end, lane = slices.start_ns[launches], slices.end_of(launches), slices.lane[launches]
    before = np.concatenate([start[:1], end[:-1]])
    is_next = np.concatenate([[False], lane[1:] == lane[:-1]]) & (start - before < longest_ns)
    chosen = np.isin(launches, facts.work.launch[work][facts.work.launch[work] != NONE])
    return union(np.where(is_next, np.minimum(before, start), start)[chosen], end[chosen])
