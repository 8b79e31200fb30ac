"""When the host was launching certain work: what it is spared where these launches go."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.intervals import Intervals, union
from tbprof.analysis.facts import Facts
from tbprof.analysis.gaps.idle_places import LONG_PAUSE_NS
from tbprof.analysis.savings.savings import earlier_host_ns
from tbprof.records import dataclass
from tbprof.rules.base.computing import gaps_ns
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among


def launching(facts: Facts, work: Int64s, longest_ns: int) -> Intervals:
    """For each of this device work from the launch before it on its thread to the end of its own.

    Args:
        facts: Of the window.
        work: Positions in the device work.
        longest_ns: From here on a pause before a launch is no part of it.
    """
    calls, slices = facts.once(_calls), facts.trace.slices
    chosen = is_among(calls.rows, facts.work.launch[work][facts.work.launch[work] != NONE])
    start_ns, before_ns = slices.start_ns[calls.rows[chosen]], calls.before_ns[chosen]
    is_next = calls.is_next[chosen] & (start_ns - before_ns < longest_ns)
    begun_ns = np.where(is_next, np.minimum(before_ns, start_ns), start_ns)
    return union(begun_ns, slices.end_of(calls.rows[chosen]))


@dataclass(frozen=True, slots=True, eq=False)
class _Calls:
    """All that launched work, by thread and start."""

    rows: Int64s
    before_ns: Int64s
    """The end of the one before it."""
    is_next: npt.NDArray[np.bool_]
    """Whether that is of the same thread."""


def _calls(facts: Facts) -> _Calls:
    slices = facts.trace.slices
    rows = distinct(facts.work.launches)
    rows = rows[np.lexsort((slices.start_ns[rows], slices.lane[rows]))]
    start, end, lane = slices.start_ns[rows], slices.end_of(rows), slices.lane[rows]
    before = np.concatenate([start[:1], end[:-1]])
    return _Calls(rows, before, np.concatenate([[False], lane[1:] == lane[:-1]]))


def unlaunched_ns(facts: Facts, work: Int64s) -> int:
    """At most so much is won, besides its own time, where this device work is not launched."""
    return gaps_ns(facts, work) + earlier_host_ns(facts, launching(facts, work, LONG_PAUSE_NS))
