"""What the training threads did during each step: waiting, loading data, launching, or other things.

A moment that is several of them is the first: a read inside an op is a wait.
"""

from __future__ import annotations

from tbprof.analysis.arrays.intervals import overlap_ns, subtract
from tbprof.analysis.facts import Facts
from tbprof.analysis.idle.host_states import waiting
from tbprof.model import HostTime

__all__ = ["host_times"]


def host_times(facts: Facts) -> tuple[HostTime, ...]:
    """One record a step. The training threads hand over to each other and count as one."""
    lanes, steps = facts.host_lanes, facts.steps
    waits = waiting(lanes, facts.episodes)
    loading = subtract(facts.causes.states["data"], waits)
    launching = subtract(subtract(lanes.in_torch, waits), loading)
    spent = [
        overlap_ns(state, steps.start_ns, steps.end_ns).tolist() for state in (waits, loading, launching)
    ]
    return tuple(HostTime(*of_step) for of_step in zip(*spent, strict=True))
