"""In which order fixing pays most, and what each fix adds to those before it.

Two waits can hide each other: the second is worth nothing until the first is gone. So the plan
takes the fix that wins most, then the one that wins most beside it, and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.trace.columns import Int64s

__all__ = ["MAX_CANDIDATES", "PlannedFix", "fix_plan"]

MAX_CANDIDATES = 8
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

    Empty where the replay does not reproduce the window. The totals stay within their ceilings.
    """
    if not candidates or not facts.replay.is_consistent:
        return ()
    left = list(range(min(len(candidates), MAX_CANDIDATES)))
    gone, total, plan = np.empty(0, np.int64), 0, []
    while left:
        savings = {at: _bounded(facts, np.union1d(gone, candidates[at])) for at in left}
        best = max(left, key=lambda at: (savings[at][0], -at))
        saving, ceiling = savings[best]
        reached = max(saving, total)
        plan.append(PlannedFix(best, reached - total, reached, ceiling))
        gone, total = np.union1d(gone, candidates[best]), reached
        left.remove(best)
    return tuple(plan)


def _bounded(facts: Facts, removed: Int64s) -> tuple[int, int]:
    """What removing these episodes wins together, and its ceiling."""
    won = removed[facts.can_be_won[removed]]
    ceiling = min(int(facts.episodes.wait_ns[won].sum()), facts.empty_idle_ns)
    return min(facts.replay.saving_ns(won), ceiling), ceiling
