"""Operators that compute every element by itself: one operation an element of the result, copies too.

What an element really takes (an exponential, a division) is more, and never decides: memory is the limit.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tbprof.analysis.limits.formulas.cost import Cost, CostOf
from tbprof.analysis.limits.formulas.inputs import TRUTH_BYTES, Inputs, Tensor

_UNARY = (
    "abs bitwise_not ceil clamp clamp_max clamp_min cos elu erf exp exp2 expm1 floor gelu hardsigmoid "
    "hardswish hardtanh leaky_relu log log10 log1p log2 log_sigmoid_forward mish neg reciprocal relu round "
    "rsqrt sigmoid sign silu sin softplus sqrt square tan tanh threshold tril triu"
)
_TO_TRUTH_UNARY = "isfinite isinf isnan logical_not"
_BINARY = (
    "add atan2 bitwise_and bitwise_or bitwise_xor copy div elu_backward floor_divide fmod gelu_backward "
    "hardswish_backward hardtanh_backward leaky_relu_backward masked_fill maximum minimum mul "
    "native_dropout_backward pow remainder rsub sigmoid_backward silu_backward softplus_backward sub "
    "tanh_backward threshold_backward"
)
_TO_TRUTH_BINARY = "eq ge gt le logical_and logical_or logical_xor lt ne"
_TERNARY = "addcdiv addcmul lerp"
_FLOATING = ("float16", "bfloat16", "float32", "float64")


def _pointwise(tensors: int, *, in_place: bool = False, to_truth: bool = False) -> CostOf:
    """Of the first `tensors` inputs; one more is where the result goes."""

    def cost(inputs: Inputs) -> Cost:
        read = [inputs.tensor(at) for at in range(tensors) if inputs.has_tensor(at)]
        result = inputs.tensor(0) if in_place else _result(inputs, read, tensors, to_truth=to_truth)
        return Cost(result.elements, sum(one.bytes for one in read) + result.bytes, read[0].dtype)

    return cost


def _result(inputs: Inputs, read: list[Tensor], tensors: int, *, to_truth: bool) -> Tensor:
    shape = np.broadcast_shapes(*(one.shape for one in read))
    if inputs.has_tensor(tensors):
        return inputs.tensor(tensors).like(shape)
    return Tensor(shape, "bool", TRUTH_BYTES) if to_truth else _deciding(read).like(shape)


def _deciding(read: list[Tensor]) -> Tensor:
    """The one whose type a sum of them has: single values decide nothing beside tensors."""
    asked = [one for one in read if one.shape] or read
    return max(asked, key=lambda one: (one.dtype in _FLOATING, one.item_bytes))


def _copy(inputs: Inputs) -> Cost:
    target, source = inputs.tensor(0), inputs.tensor(1)
    return Cost(target.elements, target.bytes + source.bytes, target.dtype)


def _fill(inputs: Inputs) -> Cost:
    target = inputs.tensor(0)
    return Cost(0, target.bytes, target.dtype)


def _where(inputs: Inputs) -> Cost:
    condition, *chosen = (inputs.tensor(at) for at in range(3))
    shape = np.broadcast_shapes(condition.shape, *(one.shape for one in chosen))
    result = _deciding(chosen).like(shape)
    moved = condition.bytes + sum(one.bytes for one in chosen) + result.bytes
    return Cost(result.elements, moved, result.dtype)


def _dropout(inputs: Inputs) -> Cost:
    """The result and a mask."""
    x = inputs.tensor(0)
    return Cost(2 * x.elements, 2 * x.bytes + TRUTH_BYTES * x.elements, x.dtype)


def _named(names: str, tensors: int, *, to_truth: bool = False) -> dict[str, CostOf]:
    found: dict[str, CostOf] = {}
    for name in names.split():
        found[f"aten::{name}"] = _pointwise(tensors, to_truth=to_truth)
        found[f"aten::{name}_"] = _pointwise(tensors, in_place=True)
    return found


ELEMENTWISE: Mapping[str, CostOf] = {
    **_named(_UNARY, 1),
    **_named(_TO_TRUTH_UNARY, 1, to_truth=True),
    **_named(_BINARY, 2),
    **_named(_TO_TRUTH_BINARY, 2, to_truth=True),
    **_named(_TERNARY, 3),
    "aten::copy_": _copy,
    "aten::fill_": _fill,
    "aten::zero_": _fill,
    "aten::where": _where,
    "aten::native_dropout": _dropout,
}
