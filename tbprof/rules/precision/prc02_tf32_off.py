"""TF32 is off.

What
    Products of matrices run as plain float32 kernels on a device whose tensor cores take float32 numbers,
    rounded to TF32.

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
    Not reported for convolutions, which another setting governs; where the recording shows that TF32 is
    on, by the hook's word or by a kernel that uses it for a product; on devices without TF32 or with
    unknown rates; or if less than 1 % of the steps could be saved at the rates of the data sheet. Products
    reach less in practice: the class is at most medium.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.precision import words
from tbprof.rules.precision.products import (
    RATES,
    device_peaks,
    looked_at,
    matrix_products,
    plain_products,
    products_finding,
    tf32_products,
)

_CODE = "PRC02"
_ON = ("high", "medium", "tf32")
"""The words of torch's old setting, and of its new one."""


def find(facts: Facts) -> Iterator[Finding]:
    products = facts.once(plain_products)
    peaks = products.peaks
    if peaks is None or peaks.tf32 is None or not len(products.work) or _is_on(facts):
        return
    work = matrix_products(facts, products.work)
    found = products_finding(facts, _CODE, [(work, peaks.float32)], peaks, peaks.tf32)
    if found is not None:
        yield found


def _is_on(facts: Facts) -> bool:
    hook = facts.trace.facts
    names = ("float32_matmul_precision", "fp32_precision")
    is_set = hook is not None and any(hook.settings.get(name) in _ON for name in names)
    return is_set or len(matrix_products(facts, facts.once(tf32_products))) > 0


def _passing(facts: Facts) -> words.AllProducts | None:
    peaks = device_peaks(facts)
    return None if peaks is None or peaks.tf32 is None else looked_at(facts)


RULE = Rule(
    code=_CODE,
    effect="shorter_kernels",
    answers=("busy",),
    find=find,
    passing=_passing,
    needs=(GPU_WORK, RATES),
    is_of_device=True,
)
