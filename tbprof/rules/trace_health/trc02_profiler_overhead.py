"""The profiler slows down what it shows.

What
    A recorded step takes longer than one without the profiler, or recording itself (Python frames,
    CUPTI's buffers) takes a visible part of the steps.

Why
    It is the host that pays. Its waits get shorter and the idle of the device longer than they are,
    so a training looks bound by the host that is not.

Example
    before:
        profile(activities=activities, with_stack=True, record_shapes=True, profile_memory=True)
    after:
        profile(activities=activities)

Action
    Record again without stacks and shapes.

Fix
    Record again without stacks, shapes and memory, and compare the steps; take stacks only to find
    a line.
    caveat: without stacks the sites have no source, unless the trainer hook recorded the lines.

Silent
    Not reported if recorded steps take at most 20 % longer than the others or, if these were not timed, if
    recording takes under 5 % of the steps. Always `info`: the training itself saves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.health import ProfilerCost, find_profiler_cost, own_work_rows
from tbprof.model import Finding
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.rule import Rule
from tbprof.rules.trace_health.words import LittleOverhead, ProfilerOverhead

_CODE = "TRC02"

INFLATION = 0.20
"""The factor from which the classes of the findings can be wrong by one: 3 % looks like 4."""

RECORDING_SHARE = 0.05
"""The part that recording is seen to take is the smaller one of what it costs."""


def find(facts: Facts) -> Iterator[Finding]:
    cost = facts.once(find_profiler_cost)
    if not _is_high(cost):
        return
    inflation = cost.inflation if cost.measured else None
    yield window_finding(
        _CODE,
        place="",
        severity="info",
        count=len(facts.steps),
        removal="needed",
        saving=None,
        confidence="high" if cost.measured else "medium",
        evidence=row_evidence(facts, "overhead", own_work_rows(facts)),
        figures=ProfilerOverhead(cost.overhead_share, cost.frames_share, inflation),
    )


def _is_high(cost: ProfilerCost) -> bool:
    if cost.measured:
        return cost.inflation > INFLATION
    return cost.overhead_share + cost.frames_share >= RECORDING_SHARE


def _looked_at(facts: Facts) -> LittleOverhead:
    cost = facts.once(find_profiler_cost)
    # Steps that were recorded can be faster than those before them by chance.
    inflation = max(cost.inflation, 0.0)
    return LittleOverhead(inflation if cost.measured else cost.overhead_share + cost.frames_share)


RULE = Rule(
    code=_CODE,
    find=find,
    passing=_looked_at,
    no_saving="it says how far the other figures can be trusted",
)
