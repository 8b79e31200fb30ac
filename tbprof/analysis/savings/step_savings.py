"""What the fix plan wins of each step: floor, estimate and ceiling.

A step's figures are about the waits that begin in it, wherever the time that they win falls: a
host that waits less in one step is ahead in the next, and the next may be the one that is short of
work. So the ceiling of a step is its waits, its length, or what a host can fill from its start to the end
of the window, whichever is least; alone it may be all of the window's. The estimate gives each step its part
of the window's, by what the host gains in it when the window is replayed.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.intervals import overlap_ns
from tbprof.analysis.facts import Facts
from tbprof.model import Saving
from tbprof.trace.columns.arrays import Int64s


def step_savings(facts: Facts, planned: Int64s, window: Saving) -> list[Saving]:
    """One bracket a step, floor <= estimate <= ceiling.

    Args:
        facts: Of the window.
        planned: Positions of the episodes that the fix plan removes.
        window: What it wins of the window; without an estimate no step has one.
    """
    if not facts.device_is_known:
        return [Saving(0, None, 0)] * len(facts.steps)
    won = np.flatnonzero(facts.can_be_won)
    removed = planned[facts.can_be_won[planned]]
    held_up = np.flatnonzero(facts.can_be_won | facts.feeds_training)
    waits = _by_step(facts, held_up, facts.episodes.wait_ns)
    # Waits of several threads add.
    most = np.minimum(waits, facts.steps.end_ns - facts.steps.start_ns)
    ceiling = np.minimum(most, _fillable_from(facts))
    dry = removed if window.estimate_ns is not None else won
    floor = np.minimum(_by_step(facts, dry, facts.starve_ns), ceiling)
    if window.estimate_ns is None:
        return [Saving(f, None, c) for f, c in zip(floor.tolist(), ceiling.tolist(), strict=True)]
    estimate = np.minimum(_shared_out(facts.replay.gained_ns(removed), window.estimate_ns), ceiling)
    floor = np.minimum(floor, estimate)
    figures = zip(floor.tolist(), estimate.tolist(), ceiling.tolist(), strict=True)
    return [Saving(f, e, c) for f, e, c in figures]


def _by_step(facts: Facts, chosen: Int64s, values: Int64s) -> Int64s:
    total = np.zeros(len(facts.steps), np.int64)
    np.add.at(total, facts.episodes.step[chosen], values[chosen])
    return total


def _fillable_from(facts: Facts) -> Int64s:
    """Of each step: what a host that is earlier from its start on can fill."""
    start = facts.steps.start_ns
    return overlap_ns(facts.fillable, start, np.full(len(start), int(facts.steps.gpu_end_ns.max())))


def _shared_out(gained_ns: Int64s, total_ns: int) -> Int64s:
    """The total in the proportions of what was gained; nothing where nothing was."""
    shares: Int64s = gained_ns * total_ns // max(int(gained_ns.sum()), 1)
    return shares
