"""What a window would hold if all its steps were like those that are not cold."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.intervals import Intervals, overlap_ns
from tbprof.analysis.facts import Facts


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
