"""The gradients are filled with zeros.

What
    `zero_grad` writes zeros into the gradients, tensor by tensor, instead of letting them go.

Why
    Each fill is a launch and a pass over memory. The backward pass then adds to the zeros where it could have
    written its result, and reads them for that.

Example
    before:
        optimizer.zero_grad(set_to_none=False)
    after:
        optimizer.zero_grad(set_to_none=True)

Action
    Let zero_grad set the gradients to None.

Fix
    Leave `set_to_none` at its default, which is True since torch 2.0, and where gradients are zeroed by hand
    write `parameter.grad = None`.
    caveat: code that reads a gradient right after it finds None; gradients that a CUDA graph or
    DistributedDataParallel's `gradient_as_bucket_view` holds in place must stay.

Silent
    Not reported if fewer than ten tensors are filled in a call, or if the fills and the host's time for
    them are under 1 % of the steps. Only a ceiling is known: the class is at most medium.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.rules.base.computing import is_worth_a_word
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.optimizer.optimizer_ranges import (
    ZERO_GRAD,
    optimizer_finding,
    optimizer_ranges,
    updates,
    won_ns,
)
from tbprof.rules.optimizer.words import ZeroGrads

_CODE = "OPT03"

LEAST_FILLS = 10
"""The fewest fills of a call: a flat buffer or two is what sharded trainings fill."""


def find(facts: Facts) -> Iterator[Finding]:
    ranges = optimizer_ranges(facts, ZERO_GRAD)
    if ranges is None or not ranges.ops & {"aten::zero_", "aten::_foreach_zero_"}:
        return
    if len(ranges.work) >= LEAST_FILLS * len(ranges.rows) and is_worth_a_word(facts, won_ns(facts, ranges)):
        yield optimizer_finding(facts, _CODE, ranges, won_ns(facts, ranges))


RULE = Rule(
    code=_CODE,
    effect="fewer_kernels",
    answers=("busy",),
    find=find,
    passing=updates(ZERO_GRAD, ZeroGrads),
    needs=(GPU_WORK,),
)
