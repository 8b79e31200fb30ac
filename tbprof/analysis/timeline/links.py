"""From a launch to what it started, and back."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.trace.columns.arrays import NONE

MAX_LINKS = 64
"""Of one call: a graph launch may start thousands."""


def links_of(facts: Facts, row: int) -> tuple[tuple[int, int], ...]:
    """Pairs of a launching call's row and a device row, for either of them; none for other rows."""
    work = facts.work
    started = np.flatnonzero(work.launch == row)[:MAX_LINKS]
    if len(started):
        return tuple((row, device_row) for device_row in work.rows[started].tolist())
    own = np.flatnonzero((work.rows == row) & (work.launch != NONE))
    return tuple((call, row) for call in work.launch[own].tolist())


def calls_of_episode(facts: Facts, episode: int) -> tuple[int, ...]:
    """Rows of its one or two calls, in their order."""
    episodes, calls = facts.episodes, facts.calls
    positions = (int(episodes.first[episode]), int(episodes.joined[episode]))
    return tuple(int(calls.rows[at]) for at in positions if at != NONE)
