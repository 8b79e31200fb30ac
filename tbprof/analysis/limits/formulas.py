"""All formulas, by the name of the operator.

Triton kernels of torch.compile have none, though their inputs are recorded: an input may be read and written
in place, or read in part, and stands there once all the same. Half of what it moves would be missing.

Operators of vLLM, SGLang and AITER whose shapes tell what they do, with the arguments that these declare.

vLLM: csrc/torch_bindings.cpp, vllm/_aiter_ops.py. SGLang: sgl-kernel/csrc. AITER: aiter/tuned_gemm.py,
aiter/ops/rmsnorm.py, aiter/ops/groupnorm.py. Attention over a paged cache, such as
`aiter::mha_batch_prefill` or `vllm::unified_attention_with_output`, has no formula: how long each sequence is
stands in tensors, whose values are not recorded. Neither has a mixture of experts, whose weights are no
argument.
"""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.analysis.limits.convolutions import CONVOLUTIONS, GROUP_NORM, NORMALIZATIONS, rms_flops
from tbprof.analysis.limits.elementwise import ELEMENTWISE, LOOKUPS, REDUCTIONS
from tbprof.analysis.limits.inputs import Cost, CostOf, Family, Inputs, NotRecorded
from tbprof.analysis.limits.matmuls import ATTENTION, MATMULS, linear, product

_TYPES = {5: "float16", 6: "float32", 15: "bfloat16"}
"""c10::ScalarType, of those that products of 16 bits give."""
_ROTATION = 3
"""Operations per element: two products and a sum."""
_GATED_NAMES = ("silu_and_mul", "gelu_and_mul", "gelu_tanh_and_mul")
_GATED = 2
"""Operations per element of the result: the activation and the product."""


def _typed_linear(inputs: Inputs) -> Cost:
    """`gemm_a16w16(A, B, bias, otype, ...)`: the type of the result may be another one."""
    x = inputs.tensor(0)
    asked = inputs.values[3] if len(inputs.values) > 3 else ""
    if asked and _TYPES.get(int(asked)) != x.dtype:
        raise NotRecorded(3)
    return linear(inputs)


def _into(inputs: Inputs) -> Cost:
    """`cutlass_scaled_mm(out, a, b, a_scales, b_scales, bias)` of 8 bits."""
    result, left, right = (inputs.tensor(at) for at in range(3))
    counted = product(left, right)
    moved = left.bytes + right.bytes + result.bytes + inputs.optional_bytes(3, 4, 5)
    return Cost(counted.flops, moved, left.dtype, on_matrix_units=True)


def _rms(x_at: int, weight_at: int) -> CostOf:
    def cost(inputs: Inputs) -> Cost:
        x, weight = inputs.tensor(x_at), inputs.tensor(weight_at)
        return Cost(rms_flops(x, weight), 2 * x.bytes + weight.bytes, x.dtype)

    return cost


def _added_rms(x_at: int, residual_at: int, weight_at: int) -> CostOf:
    """The sum with a residual is written as well."""

    def cost(inputs: Inputs) -> Cost:
        x, residual, weight = (inputs.tensor(at) for at in (x_at, residual_at, weight_at))
        moved = 2 * x.bytes + 2 * residual.bytes + weight.bytes
        return Cost(rms_flops(x, weight) + x.elements, moved, x.dtype)

    return cost


def _gated(inputs: Inputs) -> Cost:
    """`silu_and_mul(out, input)`: one half of the input through an activation, times the other."""
    result, x = inputs.tensor(0), inputs.tensor(1)
    if x.elements != 2 * result.elements:
        raise ValueError(f"{result.shape} of {x.shape}")
    return Cost(_GATED * result.elements, result.bytes + x.bytes, x.dtype)


def _quantized(inputs: Inputs) -> Cost:
    """`static_scaled_fp8_quant(out, input, scale)`."""
    result, x = inputs.tensor(0), inputs.tensor(1)
    return Cost(x.elements, result.bytes + x.bytes + inputs.optional_bytes(2), x.dtype)


def _rotated(inputs: Inputs) -> Cost:
    """`rotary_embedding(positions, query, key, head_size, cos_sin_cache, is_neox)`, in place.

    Of each head the first elements are rotated, as many as a row of the cache has.
    """
    positions, query, cache = inputs.tensor(0), inputs.tensor(1), inputs.tensor(4)
    key = inputs.tensor(2).elements if inputs.has_tensor(2) else 0
    width, head = cache.shape[-1], int(inputs.number(3))
    rotated = query.like(((query.elements + key) // head, width))
    read = positions.bytes + cache.like((positions.elements, width)).bytes
    return Cost(_ROTATION * rotated.elements, 2 * rotated.bytes + read, query.dtype)


def _stored(inputs: Inputs) -> Cost:
    """`reshape_and_cache_flash(key, value, key_cache, value_cache, slots, ...)`: each token to its slot."""
    key, value, keys, values, slots = (inputs.tensor(at) for at in range(5))
    written = keys.like(key.shape).bytes + values.like(value.shape).bytes
    return Cost(0, key.bytes + value.bytes + written + slots.bytes, key.dtype)


PACKAGE_MATMULS: Mapping[str, CostOf] = {
    "aiter::gemm_a16w16": _typed_linear,
    "vllm::rocm_unquantized_gemm": linear,
    "_C::cutlass_scaled_mm": _into,
}
PACKAGE_NORMALIZATIONS: Mapping[str, CostOf] = {
    "_C::rms_norm": _rms(1, 2),
    "_C::fused_add_rms_norm": _added_rms(0, 1, 2),
    "vllm::rocm_aiter_rms_norm": _rms(0, 1),
    "vllm::rocm_aiter_rmsnorm2d_fwd_with_add": _added_rms(0, 1, 2),
    "aiter::rms_norm": _rms(0, 1),
    "aiter::rmsnorm": _rms(1, 2),
    "aiter::add_rmsnorm": _added_rms(1, 2, 4),
    "aiter::rmsnorm2d_fwd_with_add": _added_rms(1, 2, 4),
    "aiter::rmsnorm2d_fwd_with_add_ck": _added_rms(1, 2, 4),
    "aiter::_groupnorm_run": GROUP_NORM,
}
PACKAGE_POINTWISE: Mapping[str, CostOf] = {
    **dict.fromkeys(
        (f"{package}::{name}" for package in ("_C", "sgl_kernel") for name in _GATED_NAMES), _gated
    ),
    "_C::rotary_embedding": _rotated,
    "sgl_kernel::rotary_embedding": _rotated,
    "_C::static_scaled_fp8_quant": _quantized,
}
PACKAGE_LOOKUPS: Mapping[str, CostOf] = {
    "_C_cache_ops::reshape_and_cache_flash": _stored,
    "sglang::store_cache": _stored,
}


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
