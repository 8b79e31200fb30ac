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
    Not reported if these ops, without one pass over the data, take less than 1 % of the steps, in compiled
    code, or for a spelling of the formula that the rule does not know. Only a ceiling is known: the class
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
