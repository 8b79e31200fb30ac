"""Dropout is active though nothing is trained.

What
    The window holds no backward pass and no optimizer, and dropout draws random numbers.

Why
    The model is still in training mode: its answers change from call to call, and the time for dropout is
    spent on making them worse.

Example
    before:
        with torch.inference_mode():
            out = model(x)
    after:
        model.eval()
        with torch.inference_mode():
            out = model(x)

Action
    Put the model into evaluation mode: model.eval().

Fix
    Call `model.eval()` before inference and evaluation, and `model.train()` before training goes on.
    caveat: some methods estimate uncertainty by dropout, and need it.

Silent
    In windows with a backward pass or an optimizer's step, whether or not a part of them is evaluation.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.arrays.names import matching_rows
from tbprof.analysis.facts import Facts
from tbprof.model import Finding, Numbers
from tbprof.rules.base.computing import computing_finding, device_ns, in_main_steps
from tbprof.rules.base.launched_inside import launched_inside
from tbprof.rules.base.rule import GPU_WORK, Passing, Rule
from tbprof.rules.base.training import trains
from tbprof.texts.figures.scopes import Scope
from tbprof.trace.columns.arrays import NONE
from tbprof.trace.columns.columns import Category, Int64s

__all__ = ["RULE"]

_CODE = "INF01"

_DROPPING = r"aten::(?:native_dropout|_fused_dropout|bernoulli_)$"
_CALLED = r"aten::(?:dropout|alpha_dropout|feature_dropout)_?$"


def find(facts: Facts) -> Iterator[Finding]:
    dropped = _dropped(facts)
    if len(dropped) and not facts.once(trains):
        inside = launched_inside(facts, dropped)
        work = in_main_steps(facts, inside[facts.work.is_kernel[inside]])
        spent_ns = device_ns(facts, work)
        yield computing_finding(
            facts, _CODE, work, ceiling_ns=spent_ns, numbers={"calls": len(dropped)}, confidence="high"
        )


def _dropped(facts: Facts) -> Int64s:
    """What draws random numbers within a dropout, or is one that does."""
    rows = matching_rows(facts.trace, _DROPPING, Category.CPU_OP)
    in_steps: Int64s = rows[facts.steps.index_of(facts.trace.slices.start_ns[rows]) != NONE]
    return in_steps


def _looked_at(facts: Facts) -> Numbers | None:
    calls = len(matching_rows(facts.trace, _CALLED, Category.CPU_OP))
    return None if facts.once(trains) or not calls else {"calls": calls}


def _passed(numbers: Numbers, _: Scope) -> str:
    return f"{int(numbers['calls']):,} calls of dropout, none of which drops anything."


RULE = Rule(code=_CODE, find=find, passing=Passing(_looked_at, _passed), needs=(GPU_WORK,))
