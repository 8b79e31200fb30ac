"""Which ops read a value back from the device to know their own shape (data).

Each row says how it is known: "read" in torch's source or documentation, or "seen" on a
GPU.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["DYNAMIC_SHAPE_OPS", "SHAPE_READERS", "TRUTH_READERS", "DynamicShapeOp"]


@dataclass(frozen=True, slots=True)
class DynamicShapeOp:
    op: str
    known: Literal["seen", "read"]


DYNAMIC_SHAPE_OPS: tuple[DynamicShapeOp, ...] = (
    DynamicShapeOp("aten::nonzero", "seen"),
    DynamicShapeOp("aten::nonzero_numpy", "seen"),
    DynamicShapeOp("aten::argwhere", "read"),
    DynamicShapeOp("aten::masked_select", "read"),
    DynamicShapeOp("aten::_unique", "read"),
    DynamicShapeOp("aten::_unique2", "read"),
    DynamicShapeOp("aten::unique_dim", "read"),
    DynamicShapeOp("aten::unique_consecutive", "read"),
    DynamicShapeOp("aten::unique_dim_consecutive", "read"),
    DynamicShapeOp("aten::repeat_interleave", "read"),
    DynamicShapeOp("aten::bincount", "read"),
    DynamicShapeOp("aten::one_hot", "read"),
    DynamicShapeOp("aten::histc", "read"),
    DynamicShapeOp("aten::combinations", "read"),
    DynamicShapeOp("torchvision::nms", "seen"),
    DynamicShapeOp("fbgemm::permute_sparse_features", "seen"),
)

SHAPE_READERS = frozenset(row.op for row in DYNAMIC_SHAPE_OPS)
"""The names alone."""

TRUTH_READERS = frozenset({"aten::is_nonzero", "aten::equal", "aten::allclose"})
"""Ops that Python asks for a truth value, which it branches on."""
