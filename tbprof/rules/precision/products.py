"""Products of matrices and convolutions in float32 that run beside the tensor cores."""

from __future__ import annotations

import re

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.limits.devices import Peaks, find_peaks
from tbprof.analysis.names import are_named
from tbprof.model import GPU_RATES, Finding
from tbprof.records import dataclass
from tbprof.rules.base.computing import (
    computing_finding,
    device_ns,
    in_main_steps,
    is_worth_a_word,
    kernels_named,
    spent_on,
)
from tbprof.rules.base.rule import LooksAt, Need
from tbprof.rules.precision import words
from tbprof.trace.columns.arrays import Int64s
from tbprof.trace.columns.tensor_cores import is_on_tensor_cores

_PLAIN = r"^(?!.*(?:half|bfloat16|[^a-z]bf16|f16)).*(?:sgemm|scudnn|f32f32_f32f32_f32)"
"""Names of float32 kernels of cuBLAS, cuDNN and CUTLASS without tensor cores, in traces of V100 to H100."""

_PRODUCT = re.compile(r"gemm|scudnn|convolve|_conv|wgrad|dgrad|fprop|cutlass|^nvjet_|^Cijk_")


@dataclass(frozen=True, slots=True, eq=False)
class PlainProducts:
    work: Int64s
    """Positions of their kernels, of the busiest device and in the steps."""
    peaks: Peaks | None
    """The peaks of that device; None for one that is not known."""


def device_peaks(facts: Facts) -> Peaks | None:
    main, names = facts.work.main_device, facts.trace.device_names
    return None if main is None else find_peaks(names.get(main, ""))


def all_products(facts: Facts) -> Int64s:
    """Positions of the kernels of products and convolutions, plain or not."""
    trace, work = facts.trace, facts.work
    is_product = are_named(trace, work.rows, lambda name: _PRODUCT.search(name) or is_on_tensor_cores(name))
    return in_main_steps(facts, np.flatnonzero(work.is_kernel & is_product))


def plain_products(facts: Facts) -> PlainProducts:
    return PlainProducts(kernels_named(facts, _PLAIN), device_peaks(facts))


def _rates_are_known(facts: Facts) -> bool:
    """Whether the rates of a device that computes products are known; one without any has nothing to
    compare.
    """
    if not len(facts.once(all_products)):
        return True
    products = facts.once(plain_products)
    peaks = products.peaks
    return peaks is not None and (peaks.float32 is not None or not len(products.work))


RATES = Need(GPU_RATES, _rates_are_known)


def products_finding(facts: Facts, rule: str, products: PlainProducts, rate: float) -> Finding | None:
    """None where it is hardly worth a word, or the device's rate in float32 is not known.

    Args:
        facts: Of the window.
        rule: Code of the rule.
        products: At least one, on a known device.
        rate: TFLOP/s of the other number format; as much longer than at that rate the products take.
    """
    assert products.peaks is not None, "the rate is one of the device's"
    if products.peaks.float32 is None:
        return None
    won_ns = round(device_ns(facts, products.work) * (1 - products.peaks.float32 / rate))
    if not is_worth_a_word(facts, won_ns):
        return None
    share, per_step_ns = spent_on(facts, products.work)
    figures = words.PlainProducts(
        share=share,
        per_step_ns=per_step_ns,
        rate=round(rate / products.peaks.float32, 1),
        device=products.peaks.name,
    )
    return computing_finding(
        facts, rule, products.work, ceiling_ns=won_ns, figures=figures, keeps_launches=True
    )


def passing(*, with_tf32: bool) -> LooksAt:
    """What a rule looked at that speaks of devices with TF32, or of those without it."""

    def looked_at(facts: Facts) -> words.AllProducts | None:
        products, plain = facts.once(all_products), facts.once(plain_products).work
        peaks = device_peaks(facts)
        if not len(products) or peaks is None or (peaks.tf32 is not None) != with_tf32 or not peaks.half:
            return None
        return words.AllProducts(len(products), plain=len(plain), plain_share=spent_on(facts, plain)[0])

    return looked_at
