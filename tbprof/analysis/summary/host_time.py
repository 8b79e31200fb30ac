"""What the training threads did during each step: waiting, loading data, launching, or other things.

A moment that is several of them is the first: a read inside an op is a wait.
"""

from __future__ import annotations

from tbprof.analysis.arrays.intervals import overlap_ns, subtract
from tbprof.analysis.facts import Facts
from tbprof.analysis.idle.host_states import HostLanes, waiting
from tbprof.model import HostTime
from tbprof.trace.columns.arrays import distinct
from tbprof.trace.columns.columns import Category


def host_times(facts: Facts) -> tuple[HostTime, ...]:
    """One record a step. The training threads hand over to each other and count as one."""
    lanes, steps = _lanes(facts), facts.steps
    waits = waiting(lanes, facts.episodes)
    loading = subtract(facts.causes.states["data"], waits)
    launching = subtract(subtract(lanes.in_torch, waits), loading)
    spent = [
        overlap_ns(state, steps.start_ns, steps.end_ns).tolist() for state in (waits, loading, launching)
    ]
    return tuple(HostTime(*of_step) for of_step in zip(*spent, strict=True))


def _lanes(facts: Facts) -> HostLanes:
    """Of the training threads; where none trains, as in inference on the CPU, of all that run ops."""
    if facts.training_threads:
        return facts.host_lanes
    slices = facts.trace.slices
    return HostLanes(facts.trace, tuple(distinct(slices.lane[slices.category == Category.CPU_OP]).tolist()))
