"""Attention is written out.

What
    A product of matrices, a softmax and another product follow one another, perhaps with a scale, a mask and
    dropout between them: attention, as ops of its own each.

Why
    The matrix of scores is as long as the sequence in both directions. Written out it goes to memory and back
    at each op; `scaled_dot_product_attention` never writes it.

Example
    before:
        scores = query @ key.transpose(-2, -1) / math.sqrt(size)
        out = scores.softmax(-1) @ value
    after:
        out = torch.nn.functional.scaled_dot_product_attention(query, key, value)

Action
    Use scaled_dot_product_attention.

Fix
    Call `torch.nn.functional.scaled_dot_product_attention`; models of Hugging Face take
    `attn_implementation="sdpa"`.
    caveat: a mask or a bias that is not a boolean mask keeps some of its faster kernels from being used, and
    attention weights cannot be read from it.

Silent
    Not reported if these ops, without one pass over the data, take less than 1 % of the steps, in compiled
    code, or for a spelling of the formula that the rule does not know. Only a ceiling is known: the class
    is at most medium.
"""

from __future__ import annotations

from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.fusion.sequences import finder, looked_for

_CODE = "FUS04"

_WRITTEN_OUT = r"B[XDAKTWS]{0,4}OC?T?W?B"

RULE = Rule(
    code=_CODE,
    answers=("busy",),
    find=finder(_CODE, _WRITTEN_OUT),
    passing=looked_for(_WRITTEN_OUT),
    needs=(GPU_WORK,),
)
