"""The window begins before the program is warm.

What
    The first recorded step takes longer than the others by half, or kernels and library handles are
    loaded inside the recorded steps: a launch, a free or a query of a millisecond and more in which CUDA
    or HIP sets something up for the first time. Where no steps are marked, the window begins with the
    device's first work: such calls before it count where they take a fifth of the recording.

Why
    What happens once in a process is shown as if it happened in each step. Cold steps are left out of
    the medians, but a window of few steps has little left then, and one of a single step nothing.

Example
    before:
        schedule = torch.profiler.schedule(wait=0, warmup=0, active=3)
    after:
        schedule = torch.profiler.schedule(wait=5, warmup=3, active=5)

Action
    Start the recording later.

Fix
    Let some steps pass before the window (a longer `skip_first`), with at least three of them as the
    profiler's warm-up.
    caveat: a model that is compiled again for a new shape is cold again each time.

Silent
    Not reported if no step is cold and first calls leave the GPU idle for less than 1 % of the steps, or
    for calls that take as long in every step. Only `info` below a fifth of the idle time. High if nothing
    causes more of it, or if half of the recording is over before the device's first work: then the other
    figures mean little.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.idle_places import largest_cause
from tbprof.analysis.intervals import total_ns, union
from tbprof.analysis.steps import rows_of_steps
from tbprof.model import MEDIUM_SHARE, Finding, Severity
from tbprof.records import dataclass
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.passing import events_in_steps
from tbprof.rules.base.rule import Rule
from tbprof.rules.trace_health.words import BeforeFirstWork, FirstCalls, LongestCall
from tbprof.trace.columns.arrays import NONE, Int64s, median

COLD_SHARE = 0.2
"""The share of the idle, or of a recording before the device's first work, in first calls that is a cold
start."""

MOSTLY_COLD_SHARE = 0.5
"""The share of a recording in first calls before the device's first work from which nothing else is
typical."""


_CODE = "TRC01"


def find(facts: Facts) -> Iterator[Finding]:
    start = find_cold_start(facts)
    steps_ns = facts.steps.total_ns
    if not (len(start.step_rows) or start.before_ns) and start.idle_ns < max(MEDIUM_SHARE * steps_ns, 1):
        return
    rows = np.concatenate([start.step_rows, start.loading_rows])
    yield window_finding(
        _CODE,
        place="",
        severity=_severity(facts, start),
        count=len(rows),
        removal="needed",
        saving=None,
        confidence="high",
        evidence=row_evidence(facts, "cold", rows),
        figures=FirstCalls(
            cold_steps=len(start.step_rows),
            first_step_ns=start.first_step_ns,
            median_step_ns=start.median_step_ns,
            loading_ns=start.loading_ns,
            loading_idle_ns=start.idle_ns,
            before=_before(start),
            longest=_longest(facts, start),
        ),
    )


def _severity(facts: Facts, start: ColdStart) -> Severity:
    """The severity by how much of the idle first calls hold, where there is idle to speak of."""
    if start.before_ns >= MOSTLY_COLD_SHARE * max(start.recording_ns, 1):
        return "high"
    main = facts.work.main_device
    if main is None or start.idle_ns < MEDIUM_SHARE * facts.steps.total_ns:
        return "info"
    if start.idle_ns < COLD_SHARE * int(facts.idle.by_device[main].device_ns.sum()):
        return "info"
    return "high" if largest_cause(facts) == "loading" else "medium"


def _before(start: ColdStart) -> BeforeFirstWork | None:
    return BeforeFirstWork(start.before_ns, start.recording_ns) if start.before_ns else None


def _longest(facts: Facts, start: ColdStart) -> LongestCall | None:
    if len(start.loading_rows) == 0:
        return None
    slices, row = facts.trace.slices, int(start.loading_rows[0])
    return LongestCall(
        loading_calls=len(start.loading_rows),
        longest_call=facts.trace.names[slices.name[row]],
        longest_op=start.longest_op,
        longest_ns=int(slices.duration_ns[row]),
    )


RULE = Rule(
    code=_CODE,
    find=find,
    passing=events_in_steps,
    no_saving="it comes once, and the figures of the steps leave it out",
)


@dataclass(frozen=True, slots=True, eq=False)
class ColdStart:
    step_rows: Int64s
    """Rows of the cold steps."""
    loading_rows: Int64s
    """First calls inside the steps, and those before the window, longest first."""
    loading_ns: int
    """Host time in them, with what a library that is set up does between them."""
    before_ns: int
    """The part of that before the device's first work, where no steps are marked and it is `COLD_SHARE` of
    the recording or more, else 0: the window begins with that work, so no idle of it is theirs."""
    recording_ns: int
    """The time from the first recorded row to the end of the last."""
    idle_ns: int
    """Idle of the busiest device that they caused."""
    longest_op: str
    """The innermost op around the longest of them; "" where there is none."""
    first_step_ns: int
    median_step_ns: int
    """The median of the steps that are not cold."""


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
    idle_ns = total_ns(facts.idle_of("loading"))
    return ColdStart(
        step_rows=rows_of_steps(facts.trace, steps, cold),
        loading_rows=loading,
        loading_ns=max(_spent_ns(facts, loading), idle_ns),
        before_ns=before_ns,
        recording_ns=recording_ns,
        idle_ns=idle_ns,
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
