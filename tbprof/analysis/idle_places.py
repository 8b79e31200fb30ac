"""Where in the program the idle with an empty queue happens, and which wait made it possible.

The two can differ: the data loader is exposed only because a read drained the queue before it.
The place is what the host was in; the drain is the sync point during which the device ran dry.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import Intervals
from tbprof.analysis.nesting import NONE, Nest
from tbprof.analysis.sources import parse_frame
from tbprof.model import IdlePlace
from tbprof.trace.columns import Category, Int64s

__all__ = ["MAX_PIECES", "MAX_PLACES", "NO_SITE", "idle_places"]

MAX_PLACES = 12
"""Places that a report holds, those with most idle."""

MAX_PIECES = 2000
"""Longest pieces of each cause that are given a place; the rest is too short to matter."""

NO_SITE = -1


def idle_places(facts: Facts) -> tuple[IdlePlace, ...]:
    """Most idle first; summed over the devices."""
    found: defaultdict[tuple[str, str, int, int], int] = defaultdict(int)
    namer = _PlaceNamer(facts)
    for device, causes in facts.causes.empty.items():
        gaps = facts.idle.empty[device]
        for cause, pieces in causes.items():
            longest = _longest(pieces)
            opened = _opened_by(facts, longest.start_ns) if cause == "sync" else _nobody(longest)
            drained = _drained_by(facts, gaps, longest.start_ns)
            names = namer.names((longest.start_ns + longest.end_ns) // 2)
            lengths = (longest.end_ns - longest.start_ns).tolist()
            for name, site, drain, ns in zip(names, opened, drained, lengths, strict=True):
                found[cause, name, site, drain] += ns
    places = [
        IdlePlace(cause, ns, name, _optional(site), _optional(drain))
        for (cause, name, site, drain), ns in found.items()
    ]
    places.sort(key=lambda place: (-place.idle_ns, place.cause, place.place))
    return tuple(places[:MAX_PLACES])


class _PlaceNamer:
    """What the training threads were in at an instant: label, else user function, else outermost op."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._lanes = _steps_first(facts)
        slices = facts.trace.slices
        on_lanes = np.isin(slices.lane, facts.training_lanes)
        frames = np.flatnonzero((slices.category == Category.PYTHON) & on_lanes)
        users = [parse_frame(name, exact=False) is not None for name in facts.trace.names]
        ranges = np.flatnonzero((slices.category == Category.USER_ANNOTATION) & on_lanes)
        is_step = [name.startswith("ProfilerStep#") for name in facts.trace.names]
        self._innermost = (
            Nest.of(slices, ranges[~np.array(is_step, np.bool_)[slices.name[ranges]]]),
            Nest.of(slices, frames[np.array(users, np.bool_)[slices.name[frames]]]),
        )
        self._ops = Nest.of(slices, np.flatnonzero((slices.category == Category.CPU_OP) & on_lanes))

    def names(self, instants: Int64s) -> list[str]:
        """One for each instant, "" where nothing is recorded around it."""
        slices, names = self._facts.trace.slices, self._facts.trace.names
        chosen = np.full(len(instants), NONE, np.int64)
        for nest in (*self._innermost, self._ops):
            for lane in self._lanes:
                at = nest.innermost(np.full(len(instants), lane, np.int64), instants, instants)
                at = _outermost(nest, at, instants) if nest is self._ops else at
                found = (at != NONE) & (chosen == NONE)
                chosen[found] = nest.rows[at[found]]
        return ["" if row == NONE else names[slices.name[row]] for row in chosen.tolist()]


def _steps_first(facts: Facts) -> list[int]:
    """The training lanes, that of the steps before those that work for it; then by their first row."""
    slices = facts.trace.slices
    begun = {lane: int(slices.start_ns[slices.lane == lane].min()) for lane in facts.training_lanes}
    return sorted(begun, key=lambda lane: (lane not in facts.steps.lanes, begun[lane]))


def _outermost(nest: Nest, position: Int64s, instants: Int64s) -> Int64s:
    outermost = position
    while (position != NONE).any():
        outermost = np.where(position == NONE, outermost, position)
        position = nest.enclosing(position, instants)
    return outermost


def _longest(pieces: Intervals) -> Intervals:
    order = np.argsort(pieces.start_ns - pieces.end_ns, kind="stable")[:MAX_PIECES]
    return Intervals(pieces.start_ns[order], pieces.end_ns[order])


def _nobody(pieces: Intervals) -> list[int]:
    return [NO_SITE] * len(pieces)


def _opened_by(facts: Facts, instants: Int64s) -> list[int]:
    """Site of the last training wait that had returned at each instant."""
    held = _training_waits(facts)
    ends = facts.episodes.end_ns[held]
    order = np.argsort(ends, kind="stable")
    at = np.searchsorted(ends[order], instants, side="right") - 1
    return _sites(facts, held[order], at)


def _drained_by(facts: Facts, gaps: Intervals, instants: Int64s) -> list[int]:
    """Site of the training wait during which the gap around each instant began."""
    held = _training_waits(facts)
    begun = gaps.start_ns[np.maximum(np.searchsorted(gaps.start_ns, instants, side="right") - 1, 0)]
    at = np.searchsorted(facts.episodes.start_ns[held], begun, side="right") - 1
    inside = (at >= 0) & (begun <= facts.episodes.end_ns[held][np.maximum(at, 0)]) if len(held) else at >= 0
    return _sites(facts, held, np.where(inside, at, NO_SITE))


def _training_waits(facts: Facts) -> Int64s:
    episodes = facts.episodes
    held = np.flatnonzero(np.isin(episodes.lane, facts.training_lanes) & episodes.blocking)
    return held[np.argsort(episodes.start_ns[held], kind="stable")]


def _sites(facts: Facts, episodes: Int64s, at: Int64s) -> list[int]:
    if len(episodes) == 0:
        return [NO_SITE] * len(at)
    found = np.where(at < 0, NO_SITE, facts.site_of_episode[episodes[np.maximum(at, 0)]])
    return [int(site) for site in found]


def _optional(site: int) -> int | None:
    return None if site == NO_SITE else site
