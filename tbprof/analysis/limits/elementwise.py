"""Operators that compute every element by itself: one operation an element of the result, copies too.

What an element really takes (an exponential, a division) is more, and never decides: memory is the limit.

Embeddings and other reads and writes by index, which move elements and compute next to nothing.

Each index reads its row again: which rows were asked for twice is not recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np

from tbprof.analysis.limits.inputs import (
    INDEX_BYTES,
    TRUTH_BYTES,
    Cost,
    CostOf,
    Inputs,
    Shape,
    Tensor,
)

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
    """The cost over the first `tensors` inputs; one more is where the result goes."""

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


def _reduction(
    dims_at: int = 1, *, result_bytes: int | None = None, values: int = 1, indices: int = 0
) -> CostOf:
    """Over the dimensions in a list at this position, or over one in a number; over all without either.

    Args:
        dims_at: See above.
        result_bytes: Of one result; by default it has the type of the input.
        values: How many results there are.
        indices: How many numbers of elements beside them, where it is over one dimension.
    """

    def cost(inputs: Inputs) -> Cost:
        x = inputs.tensor(0)
        dims = _dims(inputs, dims_at, len(x.shape))
        kept = prod(size for at, size in enumerate(x.shape) if at not in dims)
        each = values * (result_bytes or x.item_bytes)
        if len(dims) < len(x.shape):
            each += indices * INDEX_BYTES
        return Cost(x.elements, x.bytes + kept * each, x.dtype)

    return cost


def _dims(inputs: Inputs, at: int, count: int) -> set[int]:
    kind = inputs.types[at] if at < len(inputs.types) else ""
    value = inputs.values[at] if at < len(inputs.values) else ""
    is_number = kind == "Scalar" and value.lstrip("-").isdigit()
    if value in ("", "[]") or not (kind == "ScalarList" or is_number):
        return set(range(count))
    return {dim % count for dim in inputs.numbers(at, 1)} if count else set()


def _two_to_one(inputs: Inputs) -> Cost:
    """`max` and `min` of two tensors are no reductions."""
    if inputs.has_tensor(1):
        one, other = inputs.tensor(0), inputs.tensor(1)
        larger = max(one, other, key=lambda tensor: tensor.elements)
        return Cost(larger.elements, one.bytes + other.bytes + larger.bytes, one.dtype)
    return _reduction(indices=1)(inputs)


def _scan(inputs: Inputs) -> Cost:
    x = inputs.tensor(0)
    return Cost(x.elements, 2 * x.bytes, x.dtype)


def _resized(inputs: Inputs) -> Cost:
    x = inputs.tensor(0)
    size = inputs.numbers(1, 1)
    result = x.like((*x.shape[: len(x.shape) - len(size)], *size))
    return Cost(result.elements, x.bytes + result.bytes, x.dtype)


def _padded(inputs: Inputs) -> Cost:
    """The list has two numbers a dimension, of the last one first."""
    x = inputs.tensor(0)
    beside = inputs.numbers(1, 1)
    added = {len(x.shape) - 1 - at // 2: sum(beside[at : at + 2]) for at in range(0, len(beside), 2)}
    result = x.like(tuple(size + added.get(at, 0) for at, size in enumerate(x.shape)))
    return Cost(result.elements, x.bytes + result.bytes, x.dtype)


def _window(inputs: Inputs, x: Tensor, first: int, *, with_dilation: bool) -> tuple[Tensor, int]:
    """The result of a pool whose arguments begin at `first`, and the elements of its window."""
    kernel = inputs.numbers(first, 2)
    has_stride = first + 1 < len(inputs.values) and inputs.values[first + 1] not in ("", "[]")
    stride = inputs.numbers(first + 1, 2) if has_stride else kernel
    padding = inputs.numbers(first + 2, 2)
    apart: Shape = inputs.numbers(first + 3, 2) if with_dilation else (1, 1)
    rounds_up = inputs.flag(first + 3 + with_dilation)
    spatial = [
        (size + 2 * beside - gap * (side - 1) - 1 + (step - 1) * rounds_up) // step + 1
        for size, side, step, beside, gap in zip(x.shape[-2:], kernel, stride, padding, apart, strict=True)
    ]
    return x.like((*x.shape[:-2], *spatial)), prod(kernel)


def _max_pool(inputs: Inputs) -> Cost:
    x = inputs.tensor(0)
    result, window = _window(inputs, x, 1, with_dilation=True)
    written = result.bytes + INDEX_BYTES * result.elements
    return Cost(result.elements * window, x.bytes + written, x.dtype)


def _average_pool(inputs: Inputs) -> Cost:
    x = inputs.tensor(0)
    result, window = _window(inputs, x, 1, with_dilation=False)
    return Cost(result.elements * window, x.bytes + result.bytes, x.dtype)


def _pool_backward(indices_at: int | None) -> CostOf:
    def cost(inputs: Inputs) -> Cost:
        gradient, x = inputs.tensor(0), inputs.tensor(1)
        indices = 0 if indices_at is None else inputs.tensor(indices_at).bytes
        return Cost(x.elements, gradient.bytes + x.bytes + indices, x.dtype)

    return cost


REDUCTIONS: Mapping[str, CostOf] = {
    **dict.fromkeys(
        ("aten::sum", "aten::mean", "aten::amax", "aten::amin", "aten::logsumexp", "aten::var", "aten::std"),
        _reduction(),
    ),
    **dict.fromkeys(("aten::norm", "aten::linalg_norm", "aten::linalg_vector_norm"), _reduction(2)),
    **dict.fromkeys(("aten::any", "aten::all"), _reduction(result_bytes=TRUTH_BYTES)),
    **dict.fromkeys(("aten::argmax", "aten::argmin"), _reduction(result_bytes=INDEX_BYTES)),
    **dict.fromkeys(("aten::max", "aten::min"), _two_to_one),
    **dict.fromkeys(("aten::cumsum", "aten::cumprod"), _scan),
    "aten::var_mean": _reduction(values=2),
    "aten::std_mean": _reduction(values=2),
    **{f"aten::upsample_nearest{sides}d": _resized for sides in (1, 2, 3)},
    **{f"aten::{kind}_pad{sides}d": _padded for kind in ("replication", "reflection") for sides in (1, 2, 3)},
    "aten::constant_pad_nd": _padded,
    "aten::upsample_bilinear2d": _resized,
    "aten::_adaptive_avg_pool2d": _resized,
    "aten::_adaptive_avg_pool2d_backward": _pool_backward(None),
    "aten::max_pool2d_with_indices": _max_pool,
    "aten::max_pool2d_with_indices_backward": _pool_backward(7),
    "aten::avg_pool2d": _average_pool,
    "aten::avg_pool2d_backward": _pool_backward(None),
}


def _embedding(inputs: Inputs) -> Cost:
    """Rows of a table `[n, width]`."""
    table, indices = inputs.tensor(0), inputs.tensor(1)
    rows = table.like((indices.elements, table.shape[1]))
    return Cost(0, indices.bytes + 2 * rows.bytes, table.dtype)


def _embedding_backward(inputs: Inputs) -> Cost:
    """Every row of the table's gradient is written, those that nobody asked for with zeros."""
    gradient, indices = inputs.tensor(0), inputs.tensor(1)
    table = gradient.like((int(inputs.number(2)), gradient.shape[-1]))
    return Cost(gradient.elements, gradient.bytes + indices.bytes + table.bytes, gradient.dtype)


def _embedding_bag(inputs: Inputs) -> Cost:
    """A sum of rows for each offset."""
    table, indices, offsets = (inputs.tensor(at) for at in range(3))
    rows = table.like((indices.elements, table.shape[1]))
    sums = table.like((offsets.elements, table.shape[1]))
    moved = indices.bytes + offsets.bytes + rows.bytes + sums.bytes
    return Cost(rows.elements, moved, table.dtype)


def _index_select(inputs: Inputs) -> Cost:
    x, index = inputs.tensor(0), inputs.tensor(2)
    dim = inputs.numbers(1, 1)[0] % len(x.shape)
    chosen = x.like((*x.shape[:dim], index.elements, *x.shape[dim + 1 :]))
    return Cost(0, index.bytes + 2 * chosen.bytes, x.dtype)


def _gather(inputs: Inputs) -> Cost:
    x, index = inputs.tensor(0), inputs.tensor(2)
    return Cost(0, index.bytes + 2 * x.like(index.shape).bytes, x.dtype)


def _added_by_index(inputs: Inputs) -> Cost:
    """`index_add_`, `scatter_add_`: what is met is read and written."""
    x, index, source = inputs.tensor(0), inputs.tensor(2), inputs.tensor(3)
    met: Tensor = x.like(source.shape)
    return Cost(source.elements, index.bytes + source.bytes + 2 * met.bytes, x.dtype)


def _chosen_loss(inputs: Inputs) -> Cost:
    """`nll_loss_forward`: one value of each row."""
    x, target = inputs.tensor(0), inputs.tensor(1)
    return Cost(target.elements, target.bytes + x.like(target.shape).bytes, x.dtype)


def _chosen_loss_backward(inputs: Inputs) -> Cost:
    """All of the gradient is written, most of it with zeros."""
    x, target = inputs.tensor(1), inputs.tensor(2)
    return Cost(target.elements, target.bytes + x.bytes, x.dtype)


LOOKUPS: Mapping[str, CostOf] = {
    "aten::embedding": _embedding,
    "aten::embedding_dense_backward": _embedding_backward,
    "aten::_embedding_bag": _embedding_bag,
    "aten::index_select": _index_select,
    "aten::gather": _gather,
    "aten::index_add_": _added_by_index,
    "aten::scatter_add_": _added_by_index,
    "aten::nll_loss_forward": _chosen_loss,
    "aten::nll_loss_backward": _chosen_loss_backward,
}
