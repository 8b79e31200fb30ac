"""The optimizer updates one parameter after the other.

What
    The optimizer's step launches kernels of its own for each parameter, though torch can update all of them
    in a few.

Why
    A model of 300 parameter tensors takes some thousand launches to update. Most of these kernels are over
    before the next one is launched, so the device waits for the host at the end of each step.

Example
    before:
        optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    after:
        optimizer = torch.optim.AdamW(model.parameters(), fused=True)

Action
    Update all parameters at once: fused=True or foreach=True.

Fix
    Give the optimizer `fused=True` where it has that, else `foreach=True`; torch takes `foreach` by itself on
    a GPU since 2.0, unless set otherwise or a parameter is not a plain tensor.
    caveat: `foreach` needs memory for one more copy of the parameters while it works; `fused` does not.

Silent
    Not reported for optimizers without a fused or foreach form in torch, for fewer than 50 kernels a call,
    or if both the kernels and the host's time for them are under 1 % of the steps. Only a ceiling is known:
    the class is at most medium.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.rules.base.computing import is_worth_a_word
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.optimizer.optimizer_ranges import (
    STEP,
    optimizer_finding,
    optimizer_ranges,
    updates,
    won_ns,
)
from tbprof.rules.optimizer.words import OptimizerSteps

_CODE = "OPT01"

FOREACH = frozenset(
    (
        *("SGD", "Adam", "AdamW", "Adagrad", "RMSprop", "Adadelta"),
        *("NAdam", "RAdam", "Adamax", "ASGD", "Rprop", "Adafactor"),
    )
)
"""Classes of torch.optim that have a foreach form."""

LEAST_KERNELS = 50
"""The fewest kernels of a call: fewer are launched while the backward pass still runs."""


def find(facts: Facts) -> Iterator[Finding]:
    ranges = optimizer_ranges(facts)
    if ranges is None or ranges.name not in FOREACH or ranges.ops - {"aten::zero_"}:
        return
    if len(ranges.work) >= LEAST_KERNELS * len(ranges.rows) and is_worth_a_word(facts, won_ns(facts, ranges)):
        yield optimizer_finding(facts, _CODE, ranges, won_ns(facts, ranges))


RULE = Rule(
    code=_CODE,
    effect="fewer_kernels",
    answers=("busy",),
    find=find,
    passing=updates(STEP, OptimizerSteps),
    needs=(GPU_WORK,),
)
