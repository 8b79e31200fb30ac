"""Products of matrices and vectors, counted as `torch.utils.flop_counter` does: biases add no FLOPs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tbprof.analysis.limits.formulas.cost import Cost, CostOf
from tbprof.analysis.limits.formulas.inputs import Inputs, Tensor

_BFLOAT16_BYTES = 2


def product(left: Tensor, right: Tensor, *, beside_bytes: int = 0) -> Cost:
    """Of `[..., m, k]` and `[..., k, n]` with equal batches.

    Raises:
        ValueError: The shapes do not fit.
    """
    *batch, rows, inner = left.shape
    *other, height, columns = right.shape
    if inner != height or batch != other:
        raise ValueError(f"{left.shape} times {right.shape}")
    result = left.like((*batch, rows, columns))
    return Cost(
        flops=2 * result.elements * inner,
        bytes=left.bytes + right.bytes + result.bytes + beside_bytes,
        dtype=left.dtype,
        on_matrix_units=True,
    )


def _plain(inputs: Inputs) -> Cost:
    return product(inputs.tensor(0), inputs.tensor(1))


def _added(inputs: Inputs) -> Cost:
    """`addmm`, `baddbmm`: the sum is with the first tensor, which is not read where `beta` is 0."""
    is_read = len(inputs.values) <= 3 or inputs.values[3] == "" or inputs.number(3) != 0
    beside = inputs.tensor(0).bytes if is_read else 0
    return product(inputs.tensor(1), inputs.tensor(2), beside_bytes=beside)


def _scaled(inputs: Inputs) -> Cost:
    """`_scaled_mm`: 8 bits in, bfloat16 out, a scale of each operand, and perhaps a bias."""
    left, right = inputs.tensor(0), inputs.tensor(1)
    counted = product(left, right)
    result = left.shape[0] * right.shape[1]
    scales = inputs.optional_bytes(2, 3, 4)
    return Cost(
        counted.flops,
        left.bytes + right.bytes + result * _BFLOAT16_BYTES + scales,
        left.dtype,
        on_matrix_units=True,
    )


def linear(inputs: Inputs) -> Cost:
    """`[..., k]` by a weight `[n, k]`."""
    x, weight = inputs.tensor(0), inputs.tensor(1)
    columns, inner = weight.shape
    rows = x.elements // inner
    flat, turned = x.like((rows, inner)), weight.like((inner, columns))
    return product(flat, turned, beside_bytes=inputs.optional_bytes(2))


def _vector(matrix_at: int) -> Callable[[Inputs], Cost]:
    """A matrix by a vector, or two vectors: too little for matrix units."""

    def cost(inputs: Inputs) -> Cost:
        left, right = inputs.tensor(matrix_at), inputs.tensor(matrix_at + 1)
        result = left.like(left.shape[:-1])
        moved = left.bytes + right.bytes + result.bytes + (inputs.optional_bytes(0) if matrix_at else 0)
        return Cost(2 * left.elements, moved, left.dtype)

    return cost


def _grouped(inputs: Inputs) -> Cost:
    """`_grouped_mm` of tokens `[t, k]` with one matrix `[k, n]` of `[e, k, n]` each."""
    tokens, experts = inputs.tensor(0), inputs.tensor(1)
    rows, inner = tokens.shape
    _, height, columns = experts.shape
    if inner != height:
        raise ValueError(f"{tokens.shape} times {experts.shape}")
    result = tokens.like((rows, columns))
    return Cost(
        2 * rows * inner * columns,
        tokens.bytes + experts.bytes + result.bytes,
        tokens.dtype,
        on_matrix_units=True,
    )


MATMULS: Mapping[str, CostOf] = {
    "aten::mm": _plain,
    "aten::bmm": _plain,
    "aten::_int_mm": _plain,
    "aten::addmm": _added,
    "aten::addmm_": _added,
    "aten::_addmm_activation": _added,
    "aten::baddbmm": _added,
    "aten::baddbmm_": _added,
    "aten::_scaled_mm": _scaled,
    "aten::_grouped_mm": _grouped,
    "aten::linear": linear,
    "aten::mv": _vector(0),
    "aten::dot": _vector(0),
    "aten::vdot": _vector(0),
    "aten::addmv": _vector(1),
    "aten::addmv_": _vector(1),
}
