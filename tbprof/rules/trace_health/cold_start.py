"""What of a window happened only once: cold steps, and first calls that load kernels and libraries."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.intervals import total_ns, union
from tbprof.analysis.events.steps import rows_of_steps
from tbprof.analysis.facts import Facts
from tbprof.analysis.verdict.verdict_window import COLD_SHARE
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, median


@dataclass(frozen=True, slots=True, eq=False)
class ColdStart:
    step_rows: Int64s
    """Rows of the cold steps."""
    loading_rows: Int64s
    """First calls inside the steps, and those before the window, longest first."""
    loading_ns: int
    """Host time in them."""
    before_ns: int
    """The part of that before the device's first work, where no steps are marked and it is `COLD_SHARE` of
    the recording or more, else 0: the window begins with that work, so no idle of it is theirs."""
    recording_ns: int
    """From the first recorded row to the end of the last."""
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
    recording_ns = int(slices.end_ns.max()) - facts.origin_ns if len(slices) else 0
    loading = facts.loading[steps.index_of(slices.start_ns[facts.loading]) != NONE]
    before_ns = 0
    if not steps.recorded:
        loading = loading[slices.start_ns[loading] < steps.end_ns[0]]
        is_before = slices.end_of(loading) <= steps.start_ns[0]
        before_ns = _spent_ns(facts, loading[is_before])
        if before_ns < max(COLD_SHARE * recording_ns, 1):
            before_ns, loading = 0, loading[~is_before]
    loading = loading[np.argsort(-slices.duration_ns[loading], kind="stable")]
    return ColdStart(
        step_rows=rows_of_steps(facts.trace, steps, cold),
        loading_rows=loading,
        loading_ns=_spent_ns(facts, loading),
        before_ns=before_ns,
        recording_ns=recording_ns,
        idle_ns=total_ns(facts.idle_of("loading")),
        longest_op=_op_around(facts, loading[:1]),
        first_step_ns=int(duration[0]),
        median_step_ns=int(median(duration[~cold])),
    )


def _spent_ns(facts: Facts, rows: Int64s) -> int:
    slices = facts.trace.slices
    return total_ns(union(slices.start_ns[rows], slices.end_of(rows)))


def _op_around(facts: Facts, row: Int64s) -> str:
    slices, ops = facts.trace.slices, facts.calls.ops
    start = slices.start_ns[row]
    at = ops.innermost(slices.lane[row].astype(np.int64), start, start + slices.duration_ns[row])
    found = at[at != NONE]
    return facts.trace.names[slices.name[ops.rows[found[0]]]] if len(found) else ""
