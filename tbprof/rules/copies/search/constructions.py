"""Modules and optimizers that are built while the training runs, by the Python frames of torch."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.intervals import Intervals, union
from tbprof.analysis.arrays.names import matching_rows
from tbprof.analysis.facts import Facts
from tbprof.model import Audit, Construction
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category

_INIT = r"(?:.*[/\\])?torch[/\\](?:nn[/\\]modules[/\\]module|optim[/\\]optimizer)\.py\(\d+\): __init__"
"""What every `nn.Module` (each loss as well) and every optimizer calls to build itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Constructions:
    """Those of one place: on training lanes, in a step, but not in the first of several."""

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


def find_constructions(facts: Facts) -> list[Constructions]:
    """By place, in alphabetical order."""
    slices = facts.trace.slices
    rows = matching_rows(facts.trace, _INIT, Category.PYTHON)
    rows = rows[is_among(slices.lane[rows], facts.training_threads)]
    step = facts.steps.index_of(slices.start_ns[rows])
    set_up = (step == 0) & (len(facts.steps) > 1)
    rows = rows[(step != NONE) & ~set_up]
    places = np.array(facts.places.code_on(slices.lane[rows].astype(np.int64), slices.start_ns[rows]))
    return [
        Constructions(
            place=str(place),
            rows=mine,
            steps=len(distinct(facts.steps.index_of(slices.start_ns[mine]))),
            during=union(slices.start_ns[mine], slices.end_of(mine)),
        )
        for place in distinct(places)
        for mine in [rows[places == place]]
    ]
