"""Scaled dot-product attention, forward and backward.

The products are those that `torch.utils.flop_counter` counts: two forward and, with the scores computed
again, five backward, for each head of the queries, so that groups of them which share keys and values are
counted right. torch counts a causal mask as if it hid nothing; here only the part below the diagonal
counts, whose own scores count half.
"""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.analysis.limits.formulas.cost import Cost, CostOf
from tbprof.analysis.limits.formulas.inputs import Inputs, NotRecorded, Tensor
from tbprof.records import dataclass

__all__ = ["ATTENTION"]


@dataclass(frozen=True, slots=True)
class _Sizes:
    scores: float
    """How many are computed: batches, heads of the queries, and pairs of a query and a key."""
    key_width: int
    value_width: int


def _sizes(
    query: Tensor, key: Tensor, value: Tensor, *, is_causal: bool, heads_at: int, is_aligned_right: bool
) -> _Sizes:
    """Of `[batch, heads, length, width]`, or with heads and length exchanged.

    Raises:
        ValueError: They do not fit together.
    """
    length_at = 3 - heads_at
    heads, other_heads = query.shape[heads_at], key.shape[heads_at]
    queries, keys = query.shape[length_at], key.shape[length_at]
    if len(query.shape) != 4 or heads % other_heads or query.shape[3] != key.shape[3]:
        raise ValueError(f"{query.shape} with {key.shape}")
    pairs: float = queries * keys
    if is_causal:
        pairs = _below_diagonal(queries, keys, is_aligned_right=is_aligned_right)
    return _Sizes(query.shape[0] * heads * pairs, query.shape[3], value.shape[3])


def _below_diagonal(queries: int, keys: int, *, is_aligned_right: bool) -> float:
    """Pairs that a causal mask leaves; it begins at the first key, or ends at the last one."""
    shorter = min(queries, keys)
    triangle = shorter * shorter / 2
    if is_aligned_right and keys > queries:
        return triangle + queries * (keys - queries)
    if not is_aligned_right and queries > keys:
        return triangle + keys * (queries - keys)
    return triangle


def _forward(
    causal_at: int, *, heads_at: int = 1, bias_at: int | None = None, is_aligned_right: bool = False
) -> CostOf:
    def cost(inputs: Inputs) -> Cost:
        query, key, value = (inputs.tensor(at) for at in range(3))
        sizes = _sizes(
            query,
            key,
            value,
            is_causal=inputs.flag(causal_at),
            heads_at=heads_at,
            is_aligned_right=is_aligned_right,
        )
        result = query.like((*query.shape[:3], value.shape[3]))
        bias = 0 if bias_at is None else inputs.optional_bytes(bias_at)
        return Cost(
            flops=round(2 * sizes.scores * (sizes.key_width + sizes.value_width)),
            bytes=query.bytes + key.bytes + value.bytes + result.bytes + bias,
            dtype=query.dtype,
            on_matrix_units=True,
        )

    return cost


def _backward(
    causal_at: int, *, heads_at: int = 1, bias_at: int | None = None, is_aligned_right: bool = False
) -> CostOf:
    """Gradient, query, key and value come first; the gradients of the last three are written."""

    def cost(inputs: Inputs) -> Cost:
        gradient, query, key, value = (inputs.tensor(at) for at in range(4))
        sizes = _sizes(
            query,
            key,
            value,
            is_causal=inputs.flag(causal_at),
            heads_at=heads_at,
            is_aligned_right=is_aligned_right,
        )
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


def _inner_flash(inputs: Inputs) -> Cost:
    """`_flash_attention_forward`: lengths that lie end to end are not recorded."""
    if inputs.has_tensor(3):
        raise NotRecorded(3)
    return _forward(8, heads_at=2)(inputs)


def _inner_flash_backward(inputs: Inputs) -> Cost:
    if inputs.has_tensor(6):
        raise NotRecorded(6)
    return _backward(11, heads_at=2)(inputs)


ATTENTION: Mapping[str, CostOf] = {
    "aten::_scaled_dot_product_flash_attention": _forward(4),
    "aten::_scaled_dot_product_flash_attention_for_cpu": _forward(4),
    "aten::_scaled_dot_product_efficient_attention": _forward(6, bias_at=3),
    "aten::_scaled_dot_product_cudnn_attention": _forward(6, bias_at=3),
    "aten::_scaled_dot_product_fused_attention_overrideable": _forward(5, bias_at=3),
    "aten::_scaled_dot_product_flash_attention_backward": _backward(11),
    "aten::_scaled_dot_product_flash_attention_for_cpu_backward": _backward(7),
    "aten::_scaled_dot_product_efficient_attention_backward": _backward(11, bias_at=4),
    "aten::_scaled_dot_product_cudnn_attention_backward": _backward(14, bias_at=8),
    "aten::_scaled_dot_product_fused_attention_overrideable_backward": _backward(13, bias_at=4),
    "aten::_flash_attention_forward": _inner_flash,
    "aten::_flash_attention_backward": _inner_flash_backward,
    "flash_attn::_flash_attn_forward": _forward(5, heads_at=2, is_aligned_right=True),
    "flash_attn::_flash_attn_backward": _backward(11, heads_at=2, is_aligned_right=True),
}
"""`scaled_dot_product_attention` and its form of plain products are covered by what lies in them."""
