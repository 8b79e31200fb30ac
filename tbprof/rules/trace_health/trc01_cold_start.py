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
    Where no step is cold and first calls leave the GPU idle for less than 1 % of the steps; for calls that
    are as long in every step. Info below a fifth of the idle, high where nothing causes more of it, or where
    half of the recording is over before the device's first work: then the other figures say little.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.gaps.idle_places import largest_cause
from tbprof.analysis.verdict.verdict_window import COLD_SHARE, MOSTLY_COLD_SHARE
from tbprof.model import MEDIUM_SHARE, Finding, Numbers, Severity
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.passing import IN_STEPS
from tbprof.rules.base.rule import Rule
from tbprof.rules.trace_health.cold_start import ColdStart, find_cold_start

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
        numbers={
            "cold_steps": len(start.step_rows),
            "first_step_ns": start.first_step_ns,
            "median_step_ns": start.median_step_ns,
            "loading_ns": start.loading_ns,
            "loading_idle_ns": start.idle_ns,
            **_before(start),
            **_longest(facts, start),
        },
    )


def _severity(facts: Facts, start: ColdStart) -> Severity:
    """By how much of the idle first calls hold, where there is idle to speak of; those before it are none."""
    if start.before_ns >= MOSTLY_COLD_SHARE * max(start.recording_ns, 1):
        return "high"
    main = facts.work.main_device
    if main is None or start.idle_ns < MEDIUM_SHARE * facts.steps.total_ns:
        return "info"
    if start.idle_ns < COLD_SHARE * int(facts.idle.by_device[main].device_ns.sum()):
        return "info"
    return "high" if largest_cause(facts) == "loading" else "medium"


def _before(start: ColdStart) -> Numbers:
    if not start.before_ns:
        return {}
    return {"before_ns": start.before_ns, "recording_ns": start.recording_ns}


def _longest(facts: Facts, start: ColdStart) -> Numbers:
    if len(start.loading_rows) == 0:
        return {}
    slices, row = facts.trace.slices, int(start.loading_rows[0])
    return {
        "loading_calls": len(start.loading_rows),
        "longest_call": facts.trace.names[slices.name[row]],
        "longest_op": start.longest_op,
        "longest_ns": int(slices.duration_ns[row]),
    }


RULE = Rule(
    code=_CODE,
    find=find,
    passing=IN_STEPS,
    no_saving="it comes once, and the figures of the steps leave it out",
)
