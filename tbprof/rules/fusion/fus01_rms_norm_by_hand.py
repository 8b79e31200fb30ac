"""An RMS norm is written out.

What
    Squares, their mean, an addition, a reciprocal root and products follow one another: the formula of
    an RMS norm, as ops of its own each.

Why
    Each of these ops reads the whole tensor from memory and writes it back. The fused op reads it once and
    writes it once, in one launch, and its backward pass is fused as well.

Example
    before:
        scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)
        y = weight * (x * scale)
    after:
        y = torch.nn.functional.rms_norm(x, (x.shape[-1],), weight, eps)

Action
    Use torch.nn.functional.rms_norm, or compile this function.

Fix
    Replace the formula by `torch.nn.RMSNorm` or its function, or compile the function that holds it.
    caveat: a formula that computes in float32 rounds otherwise than the fused op in half precision.

Silent
    Not reported if these ops, without one pass over the data, take less than 1 % of the steps, in compiled
    code, or for a spelling of the formula that the rule does not know. Only a ceiling is known: the class
    is at most medium.
"""

from __future__ import annotations

from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.fusion.sequences import finder, looked_for

_CODE = "FUS01"

_WRITTEN_OUT = r"[PX]MAR(?:T?X)+"

RULE = Rule(
    code=_CODE,
    answers=("busy",),
    find=finder(_CODE, _WRITTEN_OUT),
    passing=looked_for(_WRITTEN_OUT),
    needs=(GPU_WORK,),
)
