"""Time that nothing recorded explains: waits for unknown work, and idle with work in the queue.

The first of several steps is left out: what was launched before the window is not recorded.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.intervals import (
    NEVER,
    Intervals,
    complement,
    intersect,
    overlap_ns,
    total_ns,
    union,
)
from tbprof.analysis.facts import Facts
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int64s

LAUNCH_SPACING_NS = 10_000
"""Queued work starts this soon after the work before it, or after its launch, when nothing is in
its way. Longer pieces take at most 0.2 % of the steps of public traces that are in order."""


@dataclass(frozen=True, slots=True, eq=False)
class Unexplained:
    steps_ns: int
    """Length of all steps but the first."""
    queued: Intervals
    """When the busiest device was idle with work queued, for longer than launches are apart."""
    members: Int64s
    """Episodes of the training with an unexplained wait."""
    wait_ns: int
    """Their net wait, less what recorded work explains; of several threads at most those steps."""

    @property
    def queued_share(self) -> float:
        """Of the steps, 0 to 1."""
        return total_ns(self.queued) / max(self.steps_ns, 1)

    @property
    def wait_share(self) -> float:
        return self.wait_ns / max(self.steps_ns, 1)


def find_unexplained(facts: Facts) -> Unexplained:
    """Look at all steps but the first; with less than two steps there is nothing to look at."""
    later = union(facts.steps.start_ns[1:], facts.steps.end_ns[1:])
    # The host copies its own pageable memory before the device can take it: nothing else is behind that.
    episodes = facts.episodes
    staged_ns = overlap_ns(facts.causes.states["staging"], episodes.start_ns, episodes.end_ns)
    known_ns = np.maximum(facts.awaited.explained_ns, staged_ns)
    beyond = np.maximum(facts.net_wait_ns - known_ns, 0)
    members = np.flatnonzero(facts.can_be_won & (episodes.step > 0) & (beyond > 0))
    return Unexplained(
        steps_ns=total_ns(later),
        queued=_long_queued_idle(facts, later),
        members=members,
        wait_ns=min(int(beyond[members].sum()), total_ns(later)),
    )


def _long_queued_idle(facts: Facts, inside: Intervals) -> Intervals:
    main = facts.work.main_device
    if main is None or len(inside) == 0:
        return NEVER
    reach = int(inside.start_ns[0]), int(inside.end_ns[-1])
    idle = intersect(complement(facts.work.busy[main], *reach), inside)
    queued = intersect(idle, facts.work.queued[main])
    long = queued.end_ns - queued.start_ns > LAUNCH_SPACING_NS
    return Intervals(queued.start_ns[long], queued.end_ns[long])
