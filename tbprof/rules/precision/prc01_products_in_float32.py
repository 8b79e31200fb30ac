"""Products run in float32 beside the tensor cores.

What
    Products of matrices and convolutions run in float32, or in float32 rounded to TF32, on a device whose
    tensor cores are faster in half precision.

Why
    Tensor cores multiply half precision several times as fast as float32, and twice as fast as TF32; half
    as many bytes are read, too.

Example
    before:
        loss = model(images)
        loss.backward()
    after:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = model(images)
        loss.backward()

Action
    Compute in mixed precision: torch.autocast.

Fix
    Run the forward pass under `torch.autocast`, with `torch.bfloat16` on A100 and newer. A training in
    float16 also scales its loss, with `torch.amp.GradScaler`.
    caveat: check that results hold, and that a training still converges. Older devices have no bfloat16.

Silent
    Not reported on devices without tensor cores or with unknown rates, or if less than 1 % of the steps
    could be saved at the rates of the data sheet. Products reach less in practice: the class is at most
    medium.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.rules.base.computing import spent_on
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.precision import words
from tbprof.rules.precision.products import (
    RATES,
    looked_at,
    plain_products,
    products_finding,
    tf32_products,
)

_CODE = "PRC01"


def find(facts: Facts) -> Iterator[Finding]:
    products, rounded = facts.once(plain_products), facts.once(tf32_products)
    peaks = products.peaks
    if peaks is None or not peaks.half or not len(products.work) + len(rounded):
        return
    parts = [(products.work, peaks.float32), (rounded, peaks.tf32)]
    autocast = "bfloat16" if "bfloat16" in peaks.matrix else "float16"
    found = products_finding(facts, _CODE, parts, peaks, peaks.half, autocast)
    if found is not None:
        yield found


def _passing(facts: Facts) -> words.HalfProducts | None:
    found, rounded = looked_at(facts), facts.once(tf32_products)
    if found is None:
        return None
    share = found.plain_share + spent_on(facts, rounded)[0]
    return words.HalfProducts(found.products, full=found.plain + len(rounded), full_share=share)


RULE = Rule(
    code=_CODE,
    effect="shorter_kernels",
    same_time_as="PRC02",
    answers=("busy",),
    find=find,
    passing=_passing,
    needs=(GPU_WORK, RATES),
    is_of_device=True,
)
