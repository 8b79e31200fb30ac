"""Products of matrices and convolutions in float32 that run beside the tensor cores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.limits.devices import Peaks, find_peaks
from tbprof.analysis.names import are_named, matching_rows
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
from tbprof.rules.base.launching import launched_inside
from tbprof.rules.base.rule import Need
from tbprof.rules.precision import words
from tbprof.trace.columns.arrays import Int64s, is_among
from tbprof.trace.columns.columns import Category
from tbprof.trace.columns.tensor_cores import CONVOLUTION, PRODUCT, is_on_tensor_cores

_NOT_HALF = r"^(?!.*(?:half|bfloat16|bf16|f16|fp16))"
_PLAIN = (
    rf"{_NOT_HALF}(?!.*tf32).*(?:sgemm|scudnn|f32f32_f32f32_f32|(?:dgrad|wgrad|fprop)\w*engine<float"
    r"|winograd\w*(?:::\w+)?<float|convolve\w*<float|fft2d_\w+<float)"
)
"""Names of float32 kernels of cuBLAS, cuDNN and CUTLASS without tensor cores, in traces of V100 to H100, and
of the engines by which cuDNN 7 and 8 compute convolutions on T4 and older devices."""

_TF32 = rf"{_NOT_HALF}.*(?:tf32|s1688gemm)"
"""Names of their kernels that round float32 to TF32, since A100."""

_CONVOLUTION = r"aten::(?:cudnn_|miopen_|mkldnn_|_)?convolution.*|aten::conv.*"


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
    is_product = are_named(trace, work.rows, lambda name: PRODUCT.search(name) or is_on_tensor_cores(name))
    return in_main_steps(facts, np.flatnonzero(work.is_kernel & is_product))


def plain_products(facts: Facts) -> PlainProducts:
    return PlainProducts(kernels_named(facts, _PLAIN), device_peaks(facts))


def tf32_products(facts: Facts) -> Int64s:
    """Positions of the kernels of products and convolutions that round float32 to TF32."""
    return kernels_named(facts, _TF32)


def matrix_products(facts: Facts, products: Int64s) -> Int64s:
    """The ones of no convolution, by the operator around their launch and by their own name."""
    work = facts.work
    convolutions = launched_inside(facts, matching_rows(facts.trace, _CONVOLUTION, Category.CPU_OP))
    names_one = are_named(facts.trace, work.rows[products], CONVOLUTION.search)
    return products[~is_among(products, convolutions) & ~names_one]


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


def products_finding(
    facts: Facts,
    rule: str,
    parts: Sequence[tuple[Int64s, float | None]],
    peaks: Peaks,
    rate: float,
    autocast: str = "",
) -> Finding | None:
    """None where it is hardly worth a word, or a rate of the device's is not known.

    Args:
        facts: Of the window.
        rule: Code of the rule.
        parts: Products, each with the TFLOP/s of their number format.
        peaks: Of the device.
        rate: TFLOP/s of the other number format; as much longer than at that rate the products take.
        autocast: That format, where autocast is how to get it.
    """
    counted = [(at, own) for at, own in parts if own is not None and own < rate]
    spent_ns = sum(device_ns(facts, at) for at, _ in counted)
    won_ns = round(sum(device_ns(facts, at) * (1 - own / rate) for at, own in counted))
    if not is_worth_a_word(facts, won_ns):
        return None
    products = np.concatenate([at for at, _ in counted])
    share, per_step_ns = spent_on(facts, products)
    faster = spent_ns / max(spent_ns - won_ns, 1)
    figures = words.PlainProducts(
        share=share,
        per_step_ns=per_step_ns,
        rate=round(faster, 1),
        device=peaks.name,
        autocast=autocast,
    )
    return computing_finding(facts, rule, products, ceiling_ns=won_ns, figures=figures, keeps_launches=True)


def looked_at(facts: Facts) -> words.AllProducts | None:
    """What a rule of a known device with matrix units looked at; None without products."""
    products, plain, peaks = facts.once(all_products), facts.once(plain_products).work, device_peaks(facts)
    if not len(products) or peaks is None or not peaks.half:
        return None
    return words.AllProducts(len(products), plain=len(plain), plain_share=spent_on(facts, plain)[0])
