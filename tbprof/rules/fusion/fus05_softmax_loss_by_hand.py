"""A cross-entropy is written out.

What
    A logarithm follows a softmax, or products, sums and picks follow a log-softmax: a cross-entropy, as
    ops of its own each.

Why
    With many classes the scores are the largest tensor of the step, and each op reads and writes all of it. A
    logarithm after a softmax also loses precision: of a small probability it is infinite.

Example
    before:
        loss = -(torch.log(logits.softmax(-1)) * one_hot).sum(-1).mean()
    after:
        loss = torch.nn.functional.cross_entropy(logits, target)

Action
    Use torch.nn.functional.cross_entropy.

Fix
    Give `torch.nn.functional.cross_entropy` the scores and the classes; it takes probabilities as a target,
    weights and label smoothing as well.
    caveat: it expects the classes in dimension 1.

Silent
    Where these ops take, but for one pass over the data, less than 1 % of the steps; in compiled code; and
    for other spellings of the formula than those that are looked for. A ceiling alone is known: the class
    is at most medium.
"""

from __future__ import annotations

from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.fusion.sequences import finder, looked_for

_CODE = "FUS05"

_WRITTEN_OUT = r"O[AT]?L|ZXUN?M?|ZIN?M?"

RULE = Rule(
    code=_CODE,
    answers=("busy",),
    find=finder(_CODE, _WRITTEN_OUT),
    passing=looked_for(_WRITTEN_OUT),
    needs=(GPU_WORK,),
)
