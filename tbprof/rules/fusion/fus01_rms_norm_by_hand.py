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
    Where these ops take, but for one pass over the data, less than 1 % of the steps; in compiled code; and
    for other spellings of the formula than those that are looked for. A ceiling alone is known: the class
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
