"""What of a window happened only once: cold steps, and first calls that load kernels and libraries."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.intervals import total_ns, union
from tbprof.analysis.events.steps import rows_of_steps
from tbprof.analysis.facts import Facts
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, median
from tbprof.trace.columns.columns import Int64s

__all__ = ["ColdStart", "find_cold_start"]


@dataclass(frozen=True, slots=True, eq=False)
class ColdStart:
    step_rows: Int64s
    """Rows of the cold steps."""
    loading_rows: Int64s
    """First calls inside the steps, longest first."""
    loading_ns: int
    """Host time in them."""
    idle_ns: int
    """Idle of the busiest device that they caused."""
    longest_op: str
    """The innermost op around the longest of them; "" where there is none."""
    first_step_ns: int
    median_step_ns: int
    """Of the steps that are not cold."""


def find_cold_start(facts: Facts) -> ColdStart:
    slices, steps = facts.trace.slices, facts.steps
    cold = np.array(steps.cold)
    duration = steps.duration_ns
    loading = facts.loading[steps.index_of(slices.start_ns[facts.loading]) != NONE]
    if not steps.recorded:
        inside = slices.end_of(loading) > steps.start_ns[0]
        loading = loading[inside & (slices.start_ns[loading] < steps.end_ns[0])]
    loading = loading[np.argsort(-slices.duration_ns[loading], kind="stable")]
    start = slices.start_ns[loading]
    return ColdStart(
        step_rows=rows_of_steps(facts.trace, steps, cold),
        loading_rows=loading,
        loading_ns=total_ns(union(start, start + slices.duration_ns[loading])),
        idle_ns=total_ns(facts.idle_of("loading")),
        longest_op=_op_around(facts, loading[:1]),
        first_step_ns=int(duration[0]),
        median_step_ns=int(median(duration[~cold])),
    )


def _op_around(facts: Facts, row: Int64s) -> str:
    slices, ops = facts.trace.slices, facts.calls.ops
    start = slices.start_ns[row]
    at = ops.innermost(slices.lane[row].astype(np.int64), start, start + slices.duration_ns[row])
    found = at[at != NONE]
    return facts.trace.names[slices.name[ops.rows[found[0]]]] if len(found) else ""
