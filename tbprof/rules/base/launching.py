"""When the host was launching certain work: what it is spared where these launches go."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.idle_places import LONG_PAUSE_NS
from tbprof.analysis.figures.savings import earlier_host_ns
from tbprof.analysis.intervals import Intervals, overlap_ns, subtract, union
from tbprof.analysis.names import matching_rows
from tbprof.analysis.nesting import Nest
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category


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


def unbroken_ops(facts: Facts, chosen: Int64s) -> list[tuple[int, int]]:
    """The first and last of `chosen`, positions in `facts.top_ops`, between which nothing changes thread or
    step.
    """
    ops = facts.top_ops
    step = facts.steps.index_of(facts.trace.slices.start_ns[ops.rows[chosen]])
    place = step + ops.lane[chosen] * len(facts.steps)
    borders = np.flatnonzero(np.diff(place)) + 1
    return list(itertools.pairwise((0, *borders.tolist(), len(chosen))))


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


def gaps_ns(facts: Facts, at: Int64s) -> int:
    """What the device needs from one queued kernel to the next before each of this work."""
    before = facts.replay.order.before[at]
    at, before = at[before != NONE], before[before != NONE]
    if facts.work.main_device is None or not len(at):
        return 0
    queued = facts.once(_queued_idle)
    return int(overlap_ns(queued, facts.work.end_ns[before], facts.work.start_ns[at]).sum())


def _queued_idle(facts: Facts) -> Intervals:
    assert facts.work.main_device is not None, "there is work of a device"
    main = facts.work.main_device
    return subtract(facts.idle.gaps[main], facts.idle.empty[main])
