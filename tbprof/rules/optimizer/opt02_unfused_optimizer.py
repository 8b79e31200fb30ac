"""The optimizer could run as one fused kernel.

What
    The optimizer updates all parameters together, but one operation after the other: products, roots and
    quotients of whole lists of tensors.

Why
    Each of these operations reads parameters, gradients or moments from memory and writes them back. The
    fused form does the whole update in one pass, and takes care of a GradScaler's check without a wait.

Example
    before:
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    after:
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)

Action
    Give the optimizer fused=True.

Fix
    Give `torch.optim.Adam`, `AdamW`, `SGD` or `Adagrad` the argument `fused=True`.
    caveat: it needs floating-point parameters on the device, and rounds otherwise in the last digit.

Silent
    Not reported for other optimizers, for an update of a single operation, or if all operations but the
    longest take less than 1 % of the steps: the fused form still takes one pass. What the host saves is not
    counted. Only a ceiling is known: the class is at most medium.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.analysis.names import matching_rows
from tbprof.model import Finding
from tbprof.rules.base.computing import device_ns, is_worth_a_word
from tbprof.rules.base.launching import launched_inside
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.optimizer.optimizer_ranges import (
    STEP,
    OptimizerRanges,
    optimizer_finding,
    optimizer_ranges,
    updates,
    won_ns,
)
from tbprof.rules.optimizer.words import OptimizerSteps
from tbprof.trace.columns.arrays import is_among
from tbprof.trace.columns.columns import Category

_CODE = "OPT02"

FUSED = frozenset(("Adam", "AdamW", "SGD", "Adagrad"))
"""Classes of torch.optim that have a fused form on a GPU."""

SEVERAL = 2
"""Operations: a plain SGD has one, and the fused form does the same."""


def find(facts: Facts) -> Iterator[Finding]:
    ranges = optimizer_ranges(facts)
    if ranges is None or ranges.name not in FUSED:
        return
    foreach = [name for name in ranges.ops if name.startswith("aten::_foreach_")]
    if len(foreach) < SEVERAL or any(name.startswith("aten::_fused_") for name in ranges.ops):
        return
    one_pass_ns = max(_spent_ns(facts, ranges, name) for name in foreach)
    shorter_ns = max(device_ns(facts, ranges.work) - one_pass_ns, 0)
    if is_worth_a_word(facts, shorter_ns):
        yield optimizer_finding(facts, _CODE, ranges, won_ns(facts, ranges) - one_pass_ns)


def _spent_ns(facts: Facts, ranges: OptimizerRanges, op: str) -> int:
    rows = matching_rows(facts.trace, re.escape(op) + "$", Category.CPU_OP)
    return device_ns(facts, ranges.work[is_among(ranges.work, launched_inside(facts, rows))])


RULE = Rule(
    code=_CODE,
    effect="fewer_kernels",
    answers=("busy",),
    find=find,
    passing=updates(STEP, OptimizerSteps),
    needs=(GPU_WORK,),
)
