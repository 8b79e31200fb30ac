"""What of a window happened only once: cold steps, and CUDA loading the code of its kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.names import matching_rows
from tbprof.analysis.steps import OUTSIDE, rows_of_steps
from tbprof.trace.columns import Category, Int64s

__all__ = ["ColdStart", "find_cold_start"]

_LOADING = r"Lazy Function Loading|Runtime Triggered Module Loading"
"""CUPTI's own records of it, since CUDA 12."""


@dataclass(frozen=True, slots=True, eq=False)
class ColdStart:
    step_rows: Int64s
    """Rows of the cold steps."""
    loading_rows: Int64s
    """Rows inside the steps in which CUDA loads code."""
    loading_ns: int
    first_step_ns: int
    median_step_ns: int
    """Of the warm steps."""


def find_cold_start(facts: Facts) -> ColdStart:
    slices, steps = facts.trace.slices, facts.steps
    cold = np.array(steps.cold)
    duration = steps.end_ns - steps.start_ns
    loading = matching_rows(facts.trace, _LOADING, Category.OVERHEAD)
    loading = loading[steps.index_of(slices.start_ns[loading]) != OUTSIDE]
    return ColdStart(
        step_rows=rows_of_steps(facts.trace, steps, cold),
        loading_rows=loading,
        loading_ns=int(slices.duration_ns[loading].sum()),
        first_step_ns=int(duration[0]),
        median_step_ns=int(np.median(duration[~cold])),
    )
