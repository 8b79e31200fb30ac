"""The function that idle time lies in, as deep in the program as the frames tell."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.attribution.op_chains import called_from
from tbprof.analysis.attribution.sources import parse_frame, user_frames
from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import Intervals, overlap_ns, total_ns, union
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int64s, is_among
from tbprof.trace.columns.columns import Slices

_MOST = 0.5
_WHOLE = 0.8
"""A function that runs for this part of the steps is no place in them."""


@dataclass(frozen=True, slots=True)
class DeepFunction:
    place: str
    """Its `file:line function`; before it stands the function of another package that calls it."""
    share: float
    """The part of the idle time that lies in it, 0 to 1."""


def training_frames(facts: Facts) -> Int64s:
    """Rows of the user's frames on the threads of the training."""
    rows = user_frames(facts.trace)
    chosen: Int64s = rows[is_among(facts.trace.slices.lane[rows], facts.training_threads)]
    return chosen


def deepest_function(facts: Facts, rows: Int64s, idle: Intervals, least: float) -> DeepFunction | None:
    """The deepest of the functions of which each holds most of the idle time, else at least some part of it.

    Args:
        facts: Of the window.
        rows: The frames to choose from.
        idle: In order.
        least: That part, 0 to 1.
    """
    found = list(_functions(facts, rows, idle, least))
    most = [one for one in found if one[1].share >= _MOST] or found
    return max(most, key=lambda one: one[0], default=(0, None))[1]


def _functions(
    facts: Facts, rows: Int64s, idle: Intervals, least: float
) -> Iterator[tuple[int, DeepFunction]]:
    """Each with how many frames hold it."""
    slices, names = facts.trace.slices, facts.trace.names
    idle_ns = max(total_ns(idle), 1)
    covered_ns = overlap_ns(idle, slices.start_ns[rows], slices.end_of(rows))
    rows, covered_ns = rows[covered_ns > 0], covered_ns[covered_ns > 0]
    name, at = np.unique(slices.name[rows], return_inverse=True)
    most = np.flatnonzero(np.bincount(at, covered_ns, len(name)) >= least * idle_ns)
    for one in most.tolist():
        mine = rows[at == one]
        spans = union(slices.start_ns[mine], slices.end_of(mine))
        held_ns = int(overlap_ns(spans, idle.start_ns, idle.end_ns).sum())
        if held_ns < least * idle_ns or total_ns(spans) > _WHOLE * facts.steps.total_ns:
            continue
        chain = frames_around(slices, rows, int(mine[np.argmax(covered_ns[at == one])]))
        found = [parse_frame(names[slices.name[frame]], exact=False) for frame in chain.tolist()]
        place = called_from([frame for frame in found if frame is not None])
        yield len(chain), DeepFunction(place, min(held_ns / idle_ns, 1.0))


def frames_around(slices: Slices, rows: Int64s, row: int) -> Int64s:
    """The ones of `rows` that hold a row, itself first, then outwards."""
    start, end = slices.start_ns[row], slices.start_ns[row] + slices.duration_ns[row]
    holds = (slices.start_ns[rows] <= start) & (slices.end_of(rows) >= end)
    around: Int64s = rows[holds & (slices.lane[rows] == slices.lane[row])]
    return around[np.argsort(slices.duration_ns[around], kind="stable")]
