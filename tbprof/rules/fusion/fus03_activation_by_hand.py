"""An activation function is written out.

What
    Products, powers, a tanh, an error function or a sigmoid follow one another: GELU, its tanh form or its
    sigmoid form, as ops of its own each.

Why
    An activation moves much memory and computes little. Written out it moves the same tensor several times,
    and keeps each intermediate result for the backward pass.

Example
    before:
        y = 0.5 * x * (1 + torch.tanh(0.79788456 * (x + 0.044715 * x.pow(3))))
    after:
        y = torch.nn.functional.gelu(x, approximate="tanh")

Action
    Use the fused activation, or compile this function.

Fix
    Use `torch.nn.functional.gelu`, with `approximate="tanh"` for that form. For the sigmoid form torch has no
    op: compile the function, which makes one kernel of it.
    caveat: the exact form and its approximations differ by some thousandths.

Silent
    Not reported if these ops, without one pass over the data, take less than 1 % of the steps, in compiled
    code, or for a spelling of the formula that the rule does not know. Only a ceiling is known: the class
    is at most medium.
"""

from __future__ import annotations

from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.fusion.sequences import finder, looked_for

_CODE = "FUS03"

_WRITTEN_OUT = r"X?PXAXHAX+|X?[DX]FAX+|XGX"

RULE = Rule(
    code=_CODE,
    answers=("busy",),
    find=finder(_CODE, _WRITTEN_OUT),
    passing=looked_for(_WRITTEN_OUT),
    needs=(GPU_WORK,),
)
