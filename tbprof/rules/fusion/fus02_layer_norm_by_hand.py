"""A layer norm is written out.

What
    Mean, difference, variance, root and quotient follow one another: the formula of a layer norm, as ops of
    its own each.

Why
    Each of these ops reads the whole tensor from memory and writes it back; the fused op passes over it once
    and has a fused backward pass.

Example
    before:
        mean = x.mean(-1, keepdim=True)
        variance = (x - mean).pow(2).mean(-1, keepdim=True)
        y = (x - mean) / torch.sqrt(variance + eps)
    after:
        y = torch.nn.functional.layer_norm(x, (x.shape[-1],), eps=eps)

Action
    Use torch.nn.functional.layer_norm, or compile this function.

Fix
    Replace the formula by `torch.nn.LayerNorm` or its function. `torch.std` divides by n - 1 where the layer
    norm divides by n: with many features that hardly matters.
    caveat: weights that were trained with the one formula give slightly other results with the other.

Silent
    Where these ops take, but for one pass over the data, less than 1 % of the steps; in compiled code; and
    for other spellings of the formula than those that are looked for. A ceiling alone is known: the class
    is at most medium.
"""

from __future__ import annotations

from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.fusion.sequences import finder, looked_for

_CODE = "FUS02"

_WRITTEN_OUT = r"MS(?:[PX]MS?A[QR][XD]|VA?[QR]?[XD])|MVS?A?[QR]?S?[XD]"

RULE = Rule(
    code=_CODE,
    answers=("busy",),
    find=finder(_CODE, _WRITTEN_OUT),
    passing=looked_for(_WRITTEN_OUT),
    needs=(GPU_WORK,),
)
