"""The ranges that torch opens around an optimizer's `step` and `zero_grad`, and what was launched in them."""

from __future__ import annotations

import re

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.savings import earlier_host_ns
from tbprof.analysis.intervals import union
from tbprof.analysis.names import matching_names, matching_rows
from tbprof.model import Finding
from tbprof.records import dataclass
from tbprof.rules.base.computing import computing_finding, device_ns, in_main_steps, spent_on
from tbprof.rules.base.launching import gaps_ns, launched_inside
from tbprof.rules.base.rule import LooksAt
from tbprof.rules.optimizer.words import OptimizerKernels, OptimizerSteps, ZeroGrads
from tbprof.trace.columns.arrays import NONE, Int64s, distinct
from tbprof.trace.columns.columns import Category

STEP = r"Optimizer\.step#(\w+)\.step"
ZERO_GRAD = r"Optimizer\.zero_grad#(\w+)\.zero_grad"


@dataclass(frozen=True, slots=True, eq=False)
class OptimizerRanges:
    """The ranges of one method, in the steps."""

    name: str
    """The name of the optimizer's class; of several the one with most ranges."""
    rows: Int64s
    work: Int64s
    """Positions of the kernels launched in them."""
    host_ns: int
    """At most so much is won by a host that need not launch them."""
    ops: frozenset[str]
    """Names of the ops in them."""


def optimizer_ranges(facts: Facts, pattern: str = STEP) -> OptimizerRanges | None:
    """None where no such range lies in a step."""
    trace, slices = facts.trace, facts.trace.slices
    rows = matching_rows(trace, pattern, Category.USER_ANNOTATION)
    rows = rows[facts.steps.index_of(slices.start_ns[rows]) != NONE]
    if not len(rows):
        return None
    names, counts = np.unique(slices.name[rows], return_counts=True)
    name = trace.names[int(names[np.argmax(counts)])]
    inside = launched_inside(facts, rows)
    work = in_main_steps(facts, inside[facts.work.is_kernel[inside]])
    found = re.match(pattern, name)
    spans = union(slices.start_ns[rows], slices.end_of(rows))
    host_ns = earlier_host_ns(facts, spans)
    return OptimizerRanges("" if found is None else found[1], rows, work, host_ns, _ops_in(facts, rows))


def _ops_in(facts: Facts, rows: Int64s) -> frozenset[str]:
    """Looked for among those of optimizers only: the names of all would cost more than they say."""
    slices, names = facts.trace.slices, facts.trace.names
    is_op = matching_names(facts.trace, r"aten::_(?:foreach|fused)|aten::zero_")[slices.name]
    ops = np.flatnonzero((slices.category == Category.CPU_OP) & is_op)
    found: set[str] = set()
    for lane in distinct(slices.lane[rows]).tolist():
        mine = rows[slices.lane[rows] == lane]
        spans = union(slices.start_ns[mine], slices.end_of(mine))
        if not len(spans):
            continue
        here = ops[slices.lane[ops] == lane]
        at = np.searchsorted(spans.start_ns, slices.start_ns[here], side="right") - 1
        held = (at >= 0) & (slices.start_ns[here] < spans.end_ns[np.maximum(at, 0)])
        found.update(names[number] for number in distinct(slices.name[here[held]]).tolist())
    return frozenset(found)


def won_ns(facts: Facts, ranges: OptimizerRanges) -> int:
    """At most so much is won without any of their kernels."""
    return device_ns(facts, ranges.work) + gaps_ns(facts, ranges.work) + ranges.host_ns


def optimizer_finding(facts: Facts, rule: str, ranges: OptimizerRanges, ceiling_ns: int) -> Finding:
    """A finding about ranges whose kernels could be fewer."""
    share, per_step_ns = spent_on(facts, ranges.work)
    return computing_finding(
        facts,
        rule,
        ranges.work,
        ceiling_ns=ceiling_ns,
        figures=OptimizerKernels(
            place=ranges.name,
            share=share,
            per_step_ns=per_step_ns,
            calls=len(ranges.rows),
            kernels=round(len(ranges.work) / len(ranges.rows), 1),
        ),
        confidence="high",
    )


def updates(pattern: str, record: type[OptimizerSteps] | type[ZeroGrads]) -> LooksAt:
    """What rules about ranges of this name have looked at, in their record."""

    def looked_at(facts: Facts) -> OptimizerSteps | ZeroGrads | None:
        ranges = optimizer_ranges(facts, pattern)
        if ranges is None:
            return None
        kernels = round(len(ranges.work) / len(ranges.rows), 1)
        share, _ = spent_on(facts, ranges.work)
        return record(calls=len(ranges.rows), kernels=kernels, share=share)

    return looked_at
