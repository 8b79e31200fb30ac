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
    Not reported if these ops, without one pass over the data, take less than 1 % of the steps, in compiled
    code, or for a spelling of the formula that the rule does not know. Only a ceiling is known: the class
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
