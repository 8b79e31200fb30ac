"""Products run in float32 beside the tensor cores.

What
    Products of matrices and convolutions run as plain float32 kernels on a device whose tensor cores take
    half precision only.

Why
    Tensor cores are several times as fast as the rest of the device, and half as many bytes are read.
    Float32 leaves them unused on this device.

Example
    before:
        loss = model(images)
        loss.backward()
    after:
        with torch.autocast("cuda", dtype=torch.float16):
            loss = model(images)
        scaler.scale(loss).backward()

Action
    Compute in mixed precision: torch.autocast.

Fix
    Run the forward pass under `torch.autocast`. A training in float16 also scales its loss, with
    `torch.amp.GradScaler`.
    caveat: check that results hold, and that a training still converges; a device of this kind has
    no bfloat16.

Silent
    Not reported on devices with TF32 (PRC02), without tensor cores, or with unknown rates, or if less than
    1 % of the steps could be saved at the rates of the data sheet. Products reach less in practice: the
    class is at most medium.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.precision.products import RATES, passing, plain_products, products_finding

_CODE = "PRC01"


def find(facts: Facts) -> Iterator[Finding]:
    products = facts.once(plain_products)
    peaks = products.peaks
    if len(products.work) and peaks is not None and peaks.tf32 is None and peaks.half is not None:
        found = products_finding(facts, _CODE, products, peaks.half)
        if found is not None:
            yield found


RULE = Rule(
    code=_CODE,
    effect="shorter_kernels",
    answers=("busy",),
    find=find,
    passing=passing(with_tf32=False),
    needs=(GPU_WORK, RATES),
    is_of_device=True,
)
