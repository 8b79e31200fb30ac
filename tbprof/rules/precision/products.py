"""Products of matrices and convolutions in float32 that run beside the tensor cores."""

from __future__ import annotations

import re

import numpy as np

from tbprof.analysis.arrays.names import are_named
from tbprof.analysis.facts import Facts
from tbprof.analysis.limits.devices import Peaks, find_peaks
from tbprof.model import Finding, Numbers
from tbprof.records import dataclass
from tbprof.rules.base.computing import (
    computing_finding,
    device_ns,
    in_main_steps,
    is_worth_a_word,
    kernels_named,
)
from tbprof.rules.base.rule import Passing
from tbprof.texts.figures.scopes import Scope
from tbprof.trace.columns.columns import Int64s
from tbprof.trace.columns.tensor_cores import is_on_tensor_cores

__all__ = ["PRODUCTS", "device_peaks", "plain_products", "products_finding"]

_PLAIN = r"^(?!.*(?:half|bfloat16|[^a-z]bf16|f16)).*(?:sgemm|scudnn|f32f32_f32f32_f32)"
"""Names of float32 kernels of cuBLAS, cuDNN and CUTLASS without tensor cores, in traces of V100 to H100."""

_PRODUCT = re.compile(r"gemm|scudnn|convolve|_conv|wgrad|dgrad|fprop|cutlass|^nvjet_|^Cijk_")


@dataclass(frozen=True, slots=True, eq=False)
class PlainProducts:
    work: Int64s
    """Positions of their kernels, of the busiest device and in the steps."""
    peaks: Peaks | None
    """Of that device; None for one that is not known."""


def device_peaks(facts: Facts) -> Peaks | None:
    main, names = facts.work.main_device, facts.trace.device_names
    return None if main is None else find_peaks(names.get(main, ""))


def plain_products(facts: Facts) -> PlainProducts:
    return PlainProducts(kernels_named(facts, _PLAIN), device_peaks(facts))


def products_finding(facts: Facts, rule: str, products: PlainProducts, rate: float) -> Finding | None:
    """None where it is hardly worth a word.

    Args:
        facts: Of the window.
        rule: Code of the rule.
        products: At least one, on a known device.
        rate: TFLOP/s of the other number format; as much longer than at that rate the products take.
    """
    assert products.peaks is not None, "the rate is one of the device's"
    won_ns = round(device_ns(facts, products.work) * (1 - products.peaks.float32 / rate))
    if not is_worth_a_word(facts, won_ns):
        return None
    numbers: Numbers = {"rate": round(rate / products.peaks.float32, 1), "device": products.peaks.name}
    return computing_finding(
        facts, rule, products.work, ceiling_ns=won_ns, numbers=numbers, keeps_launches=True
    )


def _looked_at(facts: Facts) -> Numbers | None:
    trace, work = facts.trace, facts.work
    is_product = are_named(trace, work.rows, lambda name: _PRODUCT.search(name) or is_on_tensor_cores(name))
    products = in_main_steps(facts, np.flatnonzero(work.is_kernel & is_product))
    plain = facts.once(plain_products).work
    if not len(products):
        return None
    return {"products": len(products), "plain": len(plain)}


def _note(numbers: Numbers, _: Scope) -> str:
    products, plain = int(numbers["products"]), int(numbers["plain"])
    others = f"{products - plain:,} of {products:,} kernels"
    ran = f"{others} for products and convolutions are not plain float32"
    return f"{ran}." if not plain else f"{ran}, and the others take too little."


PRODUCTS = Passing(_looked_at, _note)
