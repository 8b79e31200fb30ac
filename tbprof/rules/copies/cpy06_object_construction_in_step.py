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
    With Python frames, not reported for the first of several steps, for other threads, or if fewer than
    half of the later steps do it. Without frames, not reported if the trainer hook saw nothing built in the
    step that it inspected; its lines and counts are exact, but the cost of building is not known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.health import records_frames
from tbprof.analysis.intervals import Intervals, intersect, total_ns, union
from tbprof.analysis.names import matching_rows
from tbprof.model import Audit, Construction, Finding, Saving
from tbprof.records import dataclass
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.passing import events_in_steps
from tbprof.rules.base.rule import STEPS, Need, Rule
from tbprof.rules.base.severity import severity_of
from tbprof.rules.copies.words import Constructions
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category

_CODE = "CPY06"

STEADY_SHARE = 0.5
"""The share of the steps after the first: what is built on demand is built once."""


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
            figures=Constructions(place, objects_per_step=count),
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
            figures=Constructions(
                place=built.place,
                objects_per_step=round(len(built.rows) / steady, 1),
                build_ns=total_ns(built.during),
            ),
        )


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("waits",),
    needs=(
        STEPS,
        Need(
            "Python frames",
            lambda facts: records_frames(facts) or tells_constructions(facts),
        ),
    ),
    find=find,
    passing=events_in_steps,
    no_saving="how long building takes was not recorded",
)


_INIT = r"(?:.*[/\\])?torch[/\\](?:nn[/\\]modules[/\\]module|optim[/\\]optimizer)\.py\(\d+\): __init__"
"""What every `nn.Module` (each loss as well) and every optimizer calls to build itself."""


@dataclass(frozen=True, slots=True, eq=False)
class BuiltAt:
    """The constructions of one place: on training lanes, in a step, but not in the first of several."""

    place: str
    """The label or user function around them, "" if none is known."""
    rows: Int64s
    steps: int
    """Steps that hold one."""
    during: Intervals


def tells_constructions(facts: Facts) -> bool:
    """Whether the hook looked at a step."""
    return _audit(facts) is not None


def recorded_constructions(facts: Facts) -> tuple[Construction, ...]:
    """What the hook saw built in the step that it looked at."""
    audit = _audit(facts)
    return () if audit is None else audit.constructions


def _audit(facts: Facts) -> Audit | None:
    audit = None if facts.trace.facts is None else facts.trace.facts.audit
    return None if audit is None or audit.left_out else audit


def find_constructions(facts: Facts) -> list[BuiltAt]:
    """The constructions by place, in alphabetical order."""
    slices = facts.trace.slices
    rows = matching_rows(facts.trace, _INIT, Category.PYTHON)
    rows = rows[is_among(slices.lane[rows], facts.training_threads)]
    step = facts.steps.index_of(slices.start_ns[rows])
    set_up = (step == 0) & (len(facts.steps) > 1)
    rows = rows[(step != NONE) & ~set_up]
    places = np.array(facts.places.code_on(slices.lane[rows].astype(np.int64), slices.start_ns[rows]))
    return [
        BuiltAt(
            place=str(place),
            rows=mine,
            steps=len(distinct(facts.steps.index_of(slices.start_ns[mine]))),
            during=union(slices.start_ns[mine], slices.end_of(mine)),
        )
        for place in distinct(places)
        for mine in [rows[places == place]]
    ]
