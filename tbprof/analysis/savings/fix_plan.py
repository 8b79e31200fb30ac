"""In which order fixing pays most, and what each fix adds to those before it.

Two waits can hide each other: the second is worth nothing until the first is gone. So the plan
takes the fix that wins most, then the one that wins most beside it, and so on.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.savings.savings import saving_of
from tbprof.model import Saving
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int64s, distinct

MAX_WEIGHED = 8
"""Fixes that are weighed against each other; each more costs as many replays as there are."""


@dataclass(frozen=True, slots=True)
class PlannedFix:
    candidate: int
    """Index into the candidates."""
    adds_ns: int
    total_ns: int
    ceiling_ns: int
    """Of this fix and those before it."""


def fix_plan(facts: Facts, candidates: Sequence[Int64s]) -> tuple[PlannedFix, ...]:
    """Greedy order of the candidates, each the positions of the episodes that it removes.

    The first `MAX_WEIGHED` are weighed against each other; those beyond follow in the order in which
    they are named, each with what it adds. Empty where the replay does not reproduce the window. The
    totals stay within their ceilings.
    """
    if not candidates or not facts.is_replayable:
        return ()
    left = list(range(len(candidates)))
    gone, total, plan = np.empty(0, np.int64), 0, []
    while left:
        weighed = [at for at in left if at < MAX_WEIGHED] or left[:1]
        savings = {at: _together(facts, gone, candidates[at]) for at in weighed}
        best = max(weighed, key=lambda at: (savings[at][0], -at))
        saving, ceiling = savings[best]
        reached = max(saving, total)
        plan.append(PlannedFix(best, reached - total, reached, ceiling))
        gone, total = distinct(np.concatenate([gone, candidates[best]])), reached
        left.remove(best)
    return tuple(plan)


def window_saving(facts: Facts, plan: Sequence[PlannedFix], planned: Int64s) -> Saving:
    """The three figures of the window: the plan's, under the ceiling of all its waits.

    Args:
        facts: Of the window.
        plan: Its fixes in order, or none; then there is no estimate.
        planned: Positions of the episodes that the plan removes.
    """
    everything = saving_of(facts, np.arange(len(facts.episodes.first)), "needed")
    if not plan:
        return everything
    ceiling = everything.ceiling_ns
    estimate = min(plan[-1].total_ns, ceiling)
    floor = saving_of(facts, planned, "needed").floor_ns
    return Saving(floor_ns=min(floor, estimate), estimate_ns=estimate, ceiling_ns=ceiling)


def _together(facts: Facts, gone: Int64s, candidate: Int64s) -> tuple[int, int]:
    """What removing these episodes as well wins in all, and its ceiling."""
    saving = saving_of(facts, distinct(np.concatenate([gone, candidate])), "drop")
    return saving.estimate_ns or 0, saving.ceiling_ns
