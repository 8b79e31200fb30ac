"""All formulas, by the name of the operator.

Triton kernels of torch.compile have none, though their inputs are recorded: an input may be read and written
in place, or read in part, and stands there once all the same. Half of what it moves would be missing.
"""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.analysis.limits.formulas.attention import ATTENTION
from tbprof.analysis.limits.formulas.convolutions import CONVOLUTIONS
from tbprof.analysis.limits.formulas.cost import Cost, CostOf, Family
from tbprof.analysis.limits.formulas.elementwise import ELEMENTWISE
from tbprof.analysis.limits.formulas.inputs import Inputs
from tbprof.analysis.limits.formulas.lookups import LOOKUPS
from tbprof.analysis.limits.formulas.matmuls import MATMULS
from tbprof.analysis.limits.formulas.normalization import NORMALIZATIONS
from tbprof.analysis.limits.formulas.packages import (
    PACKAGE_LOOKUPS,
    PACKAGE_MATMULS,
    PACKAGE_NORMALIZATIONS,
    PACKAGE_POINTWISE,
)
from tbprof.analysis.limits.formulas.reductions import REDUCTIONS

_BY_FAMILY: Mapping[Family, Mapping[str, CostOf]] = {
    "matmul": {**MATMULS, **PACKAGE_MATMULS},
    "convolution": CONVOLUTIONS,
    "attention": ATTENTION,
    "normalization": {**NORMALIZATIONS, **PACKAGE_NORMALIZATIONS},
    "embedding": {**LOOKUPS, **PACKAGE_LOOKUPS},
    "reduction": REDUCTIONS,
    "element-wise": {**ELEMENTWISE, **PACKAGE_POINTWISE},
}
_WITHOUT_FORMULA: Mapping[Family, tuple[str, ...]] = {
    "convolution": (
        "aten::cudnn_convolution_backward",
        "aten::cudnn_convolution_backward_input",
        "aten::cudnn_convolution_backward_weight",
        "aten::miopen_convolution_backward",
        "aten::miopen_convolution_backward_input",
        "aten::miopen_convolution_backward_weight",
    ),
    "attention": (
        "aiter::mha_batch_prefill",
        "flash_attn::_flash_attn_varlen_forward",
        "flash_attn::_flash_attn_varlen_backward",
        "vllm::unified_attention_with_output",
    ),
}
"""Operators of older versions of torch and of other packages, of which only the family is known."""
FAMILY_OF: Mapping[str, Family] = {
    name: family
    for by_family in (_BY_FAMILY, _WITHOUT_FORMULA)
    for family, names in by_family.items()
    for name in names
}
_FORMULAS: Mapping[str, CostOf] = {
    name: formula for formulas in _BY_FAMILY.values() for name, formula in formulas.items()
}

_MOST = 2**53
"""FLOPs or bytes of one call; more is no tensor's, but a damaged file's."""


def cost_of(name: str, shapes: str, types: str, values: str) -> Cost | None:
    """What a call computes and moves, or None where no formula covers it or its inputs do not tell it.

    What moves nothing has none. Shapes that are all empty tell nothing: they are single values, or tensors
    whose shapes were not recorded.

    Args:
        name: Of the operator, as `aten::mm`.
        shapes: JSON, as `[[2,3],[3,4]]`, "" where not recorded.
        types: The same of the types, as `["float","float"]`.
        values: The same of what is no tensor, as `["","1"]`.
    """
    formula = _FORMULAS.get(name)
    if formula is None or not shapes or not types:
        return None
    try:
        inputs = Inputs.parse(shapes, types, values)
        cost = formula(inputs) if any(inputs.shapes) else None
        return cost if cost is not None and _is_possible(cost) else None
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return None  # other arguments than the formula's: of another version, or damaged


def _is_possible(cost: Cost) -> bool:
    return 0 <= cost.flops <= _MOST and 0 < cost.bytes <= _MOST
