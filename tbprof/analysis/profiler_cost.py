"""How much the profiler itself slowed down what it recorded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import overlap_ns, union
from tbprof.trace.columns import Category

__all__ = ["ProfilerCost", "find_profiler_cost", "records_frames"]


@dataclass(frozen=True, slots=True)
class ProfilerCost:
    overhead_share: float
    """Part of the steps in which CUPTI worked on its own records, 0 to 1."""
    frames_per_ms: float
    """Python frames recorded in a ms of the steps."""
    inflation: float | None
    """How much longer a recorded step took than one before the window, 0.2 for a fifth; None if
    the hook did not measure both."""


def find_profiler_cost(facts: Facts) -> ProfilerCost:
    slices, steps = facts.trace.slices, facts.steps
    total_ns = max(int((steps.end_ns - steps.start_ns).sum()), 1)
    own = np.flatnonzero(slices.category == Category.OVERHEAD)
    spent = union(slices.start_ns[own], slices.start_ns[own] + slices.duration_ns[own])
    frames = int((slices.category == Category.PYTHON).sum())
    return ProfilerCost(
        overhead_share=int(overlap_ns(spent, steps.start_ns, steps.end_ns).sum()) / total_ns,
        frames_per_ms=frames / (total_ns / 1e6),
        inflation=_inflation(facts),
    )


def records_frames(facts: Facts) -> bool:
    """Whether Python frames were recorded, which makes the host slower than it is."""
    return bool((facts.trace.slices.category == Category.PYTHON).any())


def _inflation(facts: Facts) -> float | None:
    hook = facts.trace.facts
    if hook is None or hook.unprofiled_step_ns is None or hook.profiled_step_ns is None:
        return None
    return hook.profiled_step_ns / max(hook.unprofiled_step_ns, 1) - 1
