"""Reductions, pools and resizing: one operation an element that is read, or a value of a window."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from tbprof.analysis.limits.formulas.cost import Cost, CostOf
from tbprof.analysis.limits.formulas.inputs import INDEX_BYTES, TRUTH_BYTES, Inputs, Shape, Tensor


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
