"""A module, a loss or an optimizer is built in the step.

What
    `nn.CrossEntropyLoss()`, `nn.Linear(...)` or an optimizer is constructed where it is used, again
    in each step.

Why
    Building takes Python and many small ops, and its parameters and buffers are made on the host and
    copied to the device. None of it is kept.

Example
    before:
        def training_step(batch, labels):
            criterion = nn.CrossEntropyLoss(weight=torch.tensor(weights).to(device))
            return criterion(model(batch), labels)
    after:
        criterion = nn.CrossEntropyLoss(weight=torch.tensor(weights)).to(device)
        def training_step(batch, labels):
            return criterion(model(batch), labels)

Action
    Build this object once, before the loop.

Fix
    Build it once, before the loop or in `__init__`, or call the functional form.
    caveat: an object that is kept keeps its state: an optimizer its momenta, a module its buffers.

Silent
    With Python frames: in the first of several steps, on other threads, and where fewer than half of the
    steps after the first do it. Without: where the trainer hook saw nothing built in the step that it
    looked at, whose lines and numbers are exact; what building costs is not known then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tbprof.analysis.arrays.intervals import intersect, total_ns
from tbprof.analysis.facts import Facts
from tbprof.analysis.health.health import records_frames
from tbprof.model import Finding, Saving
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.passing import IN_STEPS
from tbprof.rules.base.rule import STEPS, Need, Rule
from tbprof.rules.base.severity import severity_of
from tbprof.rules.copies.search.constructions import (
    find_constructions,
    recorded_constructions,
    tells_constructions,
)

_CODE = "CPY06"

STEADY_SHARE = 0.5
"""Of the steps after the first: what is built on demand is built once."""


def find(facts: Facts) -> Iterator[Finding]:
    return _by_frames(facts) if records_frames(facts) else _by_lines(facts)


def _by_lines(facts: Facts) -> Iterator[Finding]:
    """What the hook counted, line by line."""
    built: Counter[str] = Counter()
    for construction in recorded_constructions(facts):
        built[f"{construction.file}:{construction.line}"] += construction.count
    for place, count in built.items():
        yield window_finding(
            _CODE,
            place=place,
            severity="low",
            count=count * len(facts.steps),
            removal="rewrite",
            saving=None,
            confidence="medium",
            evidence=(),
            numbers={"place": place, "objects_per_step": count},
        )


def _by_frames(facts: Facts) -> Iterator[Finding]:
    steady = max(len(facts.steps) - 1, 1)
    for built in find_constructions(facts):
        if built.steps < STEADY_SHARE * steady:
            continue
        idle = intersect(facts.empty_idle, built.during)
        saving = Saving(floor_ns=0, estimate_ns=None, ceiling_ns=total_ns(idle))
        yield window_finding(
            _CODE,
            place=built.place,
            severity=severity_of(facts, saving),
            count=len(built.rows),
            removal="rewrite",
            saving=saving if facts.device_is_known else None,
            confidence="high" if len(facts.steps) > 1 else "low",
            evidence=row_evidence(facts, "frame", built.rows),
            numbers={
                "place": built.place,
                "objects_per_step": round(len(built.rows) / steady, 1),
                "build_ns": total_ns(built.during),
            },
        )


RULE = Rule(
    code=_CODE,
    needs=(
        STEPS,
        Need(
            "Python frames",
            lambda facts: records_frames(facts) or tells_constructions(facts),
        ),
    ),
    find=find,
    passing=IN_STEPS,
    no_saving="how long building takes was not recorded",
)
