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

Fix
    Build it once, before the loop or in `__init__`, or call the functional form.
    caveat: an object that is kept keeps its state: an optimizer its momenta, a module its buffers.

Silent
    In the first of several steps, on other threads, where fewer than half of the steps after the first
    do it, and without Python frames.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.constructions import find_constructions
from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import intersect, total_ns
from tbprof.analysis.profiler_cost import records_frames
from tbprof.model import Finding, Saving
from tbprof.rules.rule import STEPS, Need, Rule, row_evidence, window_finding
from tbprof.rules.severity import severity_of

__all__ = ["RULE"]

_CODE = "CPY06"

STEADY_SHARE = 0.5
"""Of the steps after the first: what is built on demand is built once."""


def find(facts: Facts) -> Iterator[Finding]:
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
            saving=saving if facts.work.devices else None,
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
    name="object-construction-in-step",
    needs=(STEPS, Need("Python frames", records_frames)),
    find=find,
    doc=__doc__,
)
