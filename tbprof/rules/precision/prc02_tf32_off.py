"""TF32 is off.

What
    Products of matrices and convolutions run as plain float32 kernels on a device whose tensor cores take
    float32 numbers, rounded to TF32.

Why
    With TF32 the same program computes the same products several times as fast, in float32 from end to
    end; only the factors are rounded to 10 bits.

Example
    before:
        model = Model().cuda()
    after:
        torch.set_float32_matmul_precision("high")
        model = Model().cuda()

Action
    Call torch.set_float32_matmul_precision("high").

Fix
    Allow TF32 once at the start with `torch.set_float32_matmul_precision("high")`; convolutions have it
    by default.
    caveat: some numerical code needs the full 24 bits, and then this is as it should be. Mixed precision
    gains more.

Silent
    Not reported on devices without TF32 (PRC01) or with unknown rates, or if less than 1 % of the steps
    could be saved at the rates of the data sheet. Products reach less in practice: the class is at most
    medium.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.precision.products import RATES, passing, plain_products, products_finding

_CODE = "PRC02"


def find(facts: Facts) -> Iterator[Finding]:
    products = facts.once(plain_products)
    if len(products.work) and products.peaks is not None and products.peaks.tf32 is not None:
        found = products_finding(facts, _CODE, products, products.peaks.tf32)
        if found is not None:
            yield found


RULE = Rule(
    code=_CODE,
    effect="shorter_kernels",
    answers=("busy",),
    find=find,
    passing=passing(with_tf32=True),
    needs=(GPU_WORK, RATES),
    is_of_device=True,
)
