"""How much the profiler itself slowed down what it recorded."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.intervals import are_within, overlap_ns, union
from tbprof.analysis.facts import Facts
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int64s, is_among
from tbprof.trace.columns.columns import Category

FRAME_NS = 190
"""What recording a Python frame adds to its call: an empty function under `with_stack=True`
of torch 2.13, measured on a server's CPU. Slower ones pay more."""


@dataclass(frozen=True, slots=True)
class ProfilerCost:
    overhead_share: float
    """Part of the steps in which CUPTI worked on its own records, 0 to 1."""
    frames_share: float
    """Part of the steps that recording their Python frames took at least, 0 to 1."""
    measured: bool
    """Whether the hook timed steps with and without the profiler."""
    inflation: float
    """How much longer a recorded step took, 0.2 for a fifth; 0 where it was not measured."""


def find_profiler_cost(facts: Facts) -> ProfilerCost:
    slices, steps = facts.trace.slices, facts.steps
    total_ns = max(int((steps.end_ns - steps.start_ns).sum()), 1)
    own = own_work_rows(facts)
    spent = union(slices.start_ns[own], slices.end_of(own))
    inflation = _inflation(facts)
    return ProfilerCost(
        overhead_share=int(overlap_ns(spent, steps.start_ns, steps.end_ns).sum()) / total_ns,
        frames_share=_frames_in_steps(facts) * FRAME_NS / total_ns,
        measured=bool(inflation),
        inflation=max(inflation, default=0.0),
    )


def own_work_rows(facts: Facts) -> Int64s:
    """Rows in which CUPTI says that it worked on its own records."""
    return np.flatnonzero(facts.trace.slices.category == Category.OVERHEAD)


def records_frames(facts: Facts) -> bool:
    """Whether Python frames were recorded, which makes the host slower than it is."""
    return bool((facts.trace.slices.category == Category.PYTHON).any())


def _frames_in_steps(facts: Facts) -> int:
    slices, steps = facts.trace.slices, facts.steps
    on_lanes = is_among(slices.lane, facts.training_threads)
    begun = slices.start_ns[(slices.category == Category.PYTHON) & on_lanes]
    if not steps.recorded:
        return len(begun)
    return int(are_within(begun, union(steps.start_ns, steps.end_ns)).sum())


def _inflation(facts: Facts) -> list[float]:
    """The one figure, or none where the hook did not time both kinds of steps."""
    hook = facts.trace.facts
    if hook is None or hook.unprofiled_step_ns is None or hook.profiled_step_ns is None:
        return []
    return [hook.profiled_step_ns / max(hook.unprofiled_step_ns, 1) - 1]
