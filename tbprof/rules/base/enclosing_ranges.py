"""What lies around each episode on its thread, or just before it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.names import matching_rows
from tbprof.analysis.arrays.nesting import Nest
from tbprof.analysis.facts import Facts
from tbprof.trace.columns.arrays import NONE, distinct
from tbprof.trace.columns.columns import Category


def in_frames(facts: Facts, pattern: str) -> npt.NDArray[np.bool_]:
    """For each episode, whether its first call is inside a Python frame whose name matches."""
    return _inside(facts, pattern, Category.PYTHON)


def in_ranges(facts: Facts, pattern: str) -> npt.NDArray[np.bool_]:
    """For each episode, whether its first call is inside an op or annotation whose name matches."""
    return _inside(facts, pattern, Category.CPU_OP, Category.USER_ANNOTATION)


def first_after_op(facts: Facts, pattern: str, within_ns: int) -> npt.NDArray[np.bool_]:
    """For each episode, whether it is the first on its thread after an op that matches, and so soon."""
    slices, episodes = facts.trace.slices, facts.episodes
    rows = matching_rows(facts.trace, pattern, Category.CPU_OP)
    found = np.zeros(len(episodes.lane), np.bool_)
    for lane in distinct(slices.lane[rows]).tolist():
        mine = rows[slices.lane[rows] == lane]
        ends = slices.end_of(mine)
        of_lane = np.flatnonzero(episodes.lane == lane)
        start = episodes.start_ns[of_lane]
        at = np.searchsorted(start, ends, side="left")
        followed = at < len(of_lane)
        at, ends = at[followed], ends[followed]
        found[of_lane[at[start[at] - ends <= within_ns]]] = True
    return found


def _inside(facts: Facts, pattern: str, *categories: Category) -> npt.NDArray[np.bool_]:
    calls, first = facts.calls, facts.episodes.first
    ranges = Nest.of(facts.trace.slices, matching_rows(facts.trace, pattern, *categories))
    at = ranges.innermost(calls.lane[first], calls.start_ns[first], calls.end_ns[first])
    inside: npt.NDArray[np.bool_] = at != NONE
    return inside
