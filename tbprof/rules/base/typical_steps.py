"""What a window would hold if all its steps were like those that are not cold."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.intervals import Intervals, intersect, overlap_ns, union
from tbprof.analysis.facts import Facts
from tbprof.analysis.savings.earlier_host import earlier_host_ns

__all__ = ["typical_earlier_host_ns", "typical_ns", "typical_share"]


def typical_ns(facts: Facts, spent: Intervals) -> int:
    """Of this time that of a mean warm step, times the steps: first calls would drown all others."""
    steps = facts.steps
    warm = ~np.array(steps.cold)
    in_steps = overlap_ns(spent, steps.start_ns, steps.end_ns)[warm]
    return int(in_steps.mean() * len(steps)) if len(in_steps) else 0


def typical_share(facts: Facts, spent_ns: int) -> float:
    """What `typical_ns` tells, as a part of steps that are all like a mean warm one, 0 to 1."""
    warm = facts.steps.duration_ns[~np.array(facts.steps.cold)]
    length_ns = float(warm.mean()) * len(facts.steps) if len(warm) else 0.0
    return min(spent_ns / max(length_ns, 1.0), 1.0)


def typical_earlier_host_ns(facts: Facts, spared: Intervals) -> int:
    """What a host wins at most that is spared this time, were all steps like those that are not cold."""
    steps = facts.steps
    warm = ~np.array(steps.cold)
    if warm.all():
        return earlier_host_ns(facts, spared)
    inside = intersect(spared, union(steps.start_ns[warm], steps.end_ns[warm]))
    return earlier_host_ns(facts, inside) * len(steps) // max(int(warm.sum()), 1)
