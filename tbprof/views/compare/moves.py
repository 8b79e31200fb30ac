"""A wait that left one site and came back at another: the work is awaited elsewhere, and nothing is won."""

from __future__ import annotations

import dataclasses

from tbprof.records import dataclass
from tbprof.texts.screens.comparison import taken_note, went_note
from tbprof.views.compare.sites import CompareSite

_LEAST_SHARE = 0.1
"""A site that lost a smaller part of all waits before has not moved its wait."""

_MOVED_FOLD = 2
"""What one site loses and another gains is one wait where neither is more than so many times the other."""


@dataclass(frozen=True, slots=True)
class MovedWait:
    """Where the host waited before, where it waits now, and how much longer that is in all."""

    source: str
    target: str
    net_us: float
    taken_us: float
    """What the target took over; at most what it gained."""
    source_row: int
    target_row: int


def moved_wait(sites: tuple[CompareSite, ...]) -> MovedWait | None:
    """The wait that most left one site and came back at another; None if most of it stayed away.

    Only a change of about the same size is the same wait: where the other site gained more than
    it could have taken over, its wait is its own.
    """
    if not sites:
        return None
    grown_us = [_grown_us(row) for row in sites]
    source, target = grown_us.index(min(grown_us)), grown_us.index(max(grown_us))
    lost_us, gained_us = -grown_us[source], grown_us[target]
    all_us = sum(row.before_wait_us or 0.0 for row in sites)
    is_same = source != target and lost_us / _MOVED_FOLD <= gained_us <= lost_us * _MOVED_FOLD
    if lost_us <= _LEAST_SHARE * all_us or not is_same:
        return None
    places = sites[source].location, sites[target].location
    return MovedWait(*places, gained_us - lost_us, min(gained_us, lost_us), source, target)


def with_moves(sites: tuple[CompareSite, ...], moved: MovedWait) -> tuple[CompareSite, ...]:
    """The same sites, the two of the moved wait with a note of it."""
    notes = {
        moved.source_row: went_note(moved.target),
        moved.target_row: taken_note(moved.source, moved.taken_us),
    }
    return tuple(
        dataclasses.replace(row, note=notes[at]) if at in notes else row for at, row in enumerate(sites)
    )


def _grown_us(row: CompareSite) -> float:
    return (row.after_wait_us or 0.0) - (row.before_wait_us or 0.0)
