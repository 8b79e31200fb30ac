"""Products of matrices and vectors, counted as `torch.utils.flop_counter` does: biases add no FLOPs.

Scaled dot-product attention, forward and backward.

The products are those that `torch.utils.flop_counter` counts: two forward and, with the scores computed
again, five backward, for each head of the queries, so that groups of them which share keys and values are
counted right. torch counts a causal mask as if it hid nothing; here only the part below the diagonal
counts, whose own scores count half, and of a sliding window only what lies in it. Sequences that lie end to
end have no formula: their lengths stand in a tensor, whose values are not recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from tbprof.analysis.limits.inputs import Cost, CostOf, Inputs, NotRecorded, Tensor
from tbprof.records import dataclass

_BFLOAT16_BYTES = 2


def product(left: Tensor, right: Tensor, *, beside_bytes: int = 0) -> Cost:
    """The operations of `[..., m, k]` times `[..., k, n]` with equal batches.

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


_LENGTHS_OF_3 = (3, 4, 5, 7, 8, 9, 10, 11, 14)
"""New keys and values, lengths and pages among the arguments of `flash_attn_3::fwd`."""
_MOST_QUERIES = 2**24
"""More are no tensor's, but a damaged file's."""


@dataclass(frozen=True, slots=True)
class _Mask:
    """Where the arguments say which keys a query sees."""

    causal_at: int
    window_at: int | None = None
    """The keys before, and after this the keys after its own; -1 of all."""
    is_aligned_right: bool = False
    """Whether the last query's own key is the last one; else the first one's is the first."""

    def seen(self, inputs: Inputs) -> tuple[int | None, int | None]:
        before, after = (self._width(inputs, at) for at in (0, 1))
        return before, 0 if inputs.flag(self.causal_at) else after

    def _width(self, inputs: Inputs, at: int) -> int | None:
        """Older versions have no such arguments."""
        place = len(inputs.values) if self.window_at is None else self.window_at + at
        if place >= len(inputs.values) or inputs.values[place] == "":
            return None
        width = int(inputs.number(place))
        return None if width < 0 else width


@dataclass(frozen=True, slots=True)
class _Sizes:
    scores: float
    """How many are computed: batches, heads of the queries, and pairs of a query and a key."""
    key_width: int
    value_width: int


def _sizes(inputs: Inputs, first: int, *, mask: _Mask, heads_at: int) -> _Sizes:
    """The query, at this position, and key and value after it are `[batch, heads, length, width]`.

    Or with heads and length exchanged.

    Raises:
        ValueError: They do not fit together.
    """
    query, key, value = (inputs.tensor(first + at) for at in range(3))
    length_at = 3 - heads_at
    heads, other_heads = query.shape[heads_at], key.shape[heads_at]
    queries, keys = query.shape[length_at], key.shape[length_at]
    if len(query.shape) != 4 or heads % other_heads or query.shape[3] != key.shape[3]:
        raise ValueError(f"{query.shape} with {key.shape}")
    if queries > _MOST_QUERIES:
        raise ValueError(queries)
    pairs = _pairs(queries, keys, mask.seen(inputs), is_aligned_right=mask.is_aligned_right)
    return _Sizes(query.shape[0] * heads * pairs, query.shape[3], value.shape[3])


def _pairs(queries: int, keys: int, seen: tuple[int | None, int | None], *, is_aligned_right: bool) -> float:
    """The pairs of a query and a key that it sees; those on the diagonal count half where they are the
    last.
    """
    before, after = seen
    if before is None and after is None:
        return queries * keys
    own = np.arange(queries) + (keys - queries if is_aligned_right else 0)
    first = np.zeros_like(own) if before is None else np.maximum(own - before, 0)
    last = np.full_like(own, keys - 1) if after is None else np.minimum(own + after, keys - 1)
    pairs = int(np.maximum(last - first + 1, 0).sum())
    on_diagonal = int(((own >= 0) & (own < keys)).sum()) if after == 0 else 0
    return pairs - on_diagonal / 2


def _forward(mask: _Mask, *, heads_at: int = 1, bias_at: int | None = None) -> CostOf:
    def cost(inputs: Inputs) -> Cost:
        query, key, value = (inputs.tensor(at) for at in range(3))
        sizes = _sizes(inputs, 0, mask=mask, heads_at=heads_at)
        result = query.like((*query.shape[:3], value.shape[3]))
        bias = 0 if bias_at is None else inputs.optional_bytes(bias_at)
        return Cost(
            flops=round(2 * sizes.scores * (sizes.key_width + sizes.value_width)),
            bytes=query.bytes + key.bytes + value.bytes + result.bytes + bias,
            dtype=query.dtype,
            on_matrix_units=True,
        )

    return cost


def _backward(mask: _Mask, *, heads_at: int = 1, bias_at: int | None = None) -> CostOf:
    """Gradient, query, key and value come first; the gradients of the last three are written."""

    def cost(inputs: Inputs) -> Cost:
        gradient, query, key, value = (inputs.tensor(at) for at in range(4))
        sizes = _sizes(inputs, 1, mask=mask, heads_at=heads_at)
        bias = 0 if bias_at is None else inputs.optional_bytes(bias_at)
        again = 2 * sizes.scores * sizes.key_width
        return Cost(
            flops=round(2 * sizes.scores * (3 * sizes.key_width + 2 * sizes.value_width)),
            bytes=2 * gradient.bytes + 2 * (query.bytes + key.bytes + value.bytes) + bias,
            dtype=query.dtype,
            on_matrix_units=True,
            repeated_flops=round(again),
        )

    return cost


def _of_equal_lengths(cost: CostOf, *tensors: int, zero_at: int | None = None) -> CostOf:
    """Where none of these arguments is a tensor: lengths, pages, or keys that come after those of a cache."""

    def checked(inputs: Inputs) -> Cost:
        for at in tensors:
            if inputs.has_tensor(at):
                raise NotRecorded(at)
        if inputs.tensor(0).item_bytes == 1 or (zero_at is not None and inputs.number(zero_at) != 0):
            raise NotRecorded(zero_at)
        return cost(inputs)

    return checked


ATTENTION: Mapping[str, CostOf] = {
    "aten::_scaled_dot_product_flash_attention": _forward(_Mask(4)),
    "aten::_scaled_dot_product_flash_attention_for_cpu": _forward(_Mask(4)),
    "aten::_scaled_dot_product_efficient_attention": _forward(_Mask(6), bias_at=3),
    "aten::_scaled_dot_product_cudnn_attention": _forward(_Mask(6), bias_at=3),
    "aten::_scaled_dot_product_fused_attention_overrideable": _forward(_Mask(5), bias_at=3),
    "aten::_scaled_dot_product_flash_attention_backward": _backward(_Mask(11)),
    "aten::_scaled_dot_product_flash_attention_for_cpu_backward": _backward(_Mask(7)),
    "aten::_scaled_dot_product_efficient_attention_backward": _backward(_Mask(11), bias_at=4),
    "aten::_scaled_dot_product_cudnn_attention_backward": _backward(_Mask(14), bias_at=8),
    "aten::_scaled_dot_product_fused_attention_overrideable_backward": _backward(_Mask(13), bias_at=4),
    "aten::_flash_attention_forward": _of_equal_lengths(_forward(_Mask(8, 11), heads_at=2), 3),
    "aten::_flash_attention_backward": _of_equal_lengths(_backward(_Mask(11, 15), heads_at=2), 6),
    "flash_attn::_flash_attn_forward": _forward(_Mask(5, 6, is_aligned_right=True), heads_at=2),
    "flash_attn::_flash_attn_backward": _backward(_Mask(11, 12, is_aligned_right=True), heads_at=2),
    "flash_attn_3::fwd": _of_equal_lengths(
        _forward(_Mask(24, 25, is_aligned_right=True), heads_at=2), *_LENGTHS_OF_3, zero_at=27
    ),
    "flash_attn_3::bwd": _of_equal_lengths(
        _backward(_Mask(16, 17, is_aligned_right=True), heads_at=2), *range(9, 13)
    ),
}
"""Other packages' as flash_attn_interface.py and hopper/flash_attn_interface.py of flash-attention call them.
`scaled_dot_product_attention` and its form of plain products are covered by what lies in them."""
