"""The ops that make the host wait for the device or copy, the conditions, and how that is known (data).

Rules and preflight share these rows. Each says how it is known: "read" in torch's source or
documentation, or "seen" on a GPU.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from tbprof.records import dataclass

Known: TypeAlias = Literal["seen", "read"]

OpKind: TypeAlias = Literal["scalar_read", "control_flow", "dynamic_shape", "host_read"]
"""What the host waits for: a number, a truth value, the size of a result, or a whole tensor."""

Condition: TypeAlias = Literal[
    "always",
    "without_output_size",
    "without_num_classes",
    "without_range",
    "tensor_std",
    "checked_lengths",
    "checked_errors",
    "device_mask",
    "device_mask_filled",
    "uncoalesced",
    "different_memory",
]
"""When an op on tensors of the device does so.

`without_...`: the argument that would say it beforehand is missing; `tensor_std`: the standard
deviation is a tensor; `checked_lengths`: `unsafe` is off; `checked_errors`: `check_errors` is on;
`device_mask`: one index is a mask on the device; `device_mask_filled`: so it is, and the written
value is more than one number; `uncoalesced`: the sparse operand may name a place more than once;
`different_memory`: two tensors of one shape are not one and the same.
"""


@dataclass(frozen=True, slots=True)
class DeviceOp:
    op: str
    condition: Condition
    kind: OpKind
    known: Known


OPS: tuple[DeviceOp, ...] = (
    DeviceOp("aten::_local_scalar_dense", "always", "scalar_read", "seen"),
    DeviceOp("aten::_linalg_check_errors", "always", "scalar_read", "seen"),
    DeviceOp("aten::_linalg_svd", "always", "scalar_read", "read"),
    DeviceOp("aten::_linalg_eigh", "always", "scalar_read", "seen"),
    DeviceOp("aten::linalg_pinv", "always", "scalar_read", "read"),
    DeviceOp("aten::cholesky", "always", "scalar_read", "read"),
    DeviceOp("aten::cholesky_inverse", "always", "scalar_read", "read"),
    DeviceOp("aten::linalg_cholesky_ex", "checked_errors", "scalar_read", "read"),
    DeviceOp("aten::linalg_inv_ex", "checked_errors", "scalar_read", "read"),
    DeviceOp("aten::linalg_ldl_factor_ex", "checked_errors", "scalar_read", "read"),
    DeviceOp("aten::linalg_lu_factor_ex", "checked_errors", "scalar_read", "read"),
    DeviceOp("aten::_linalg_solve_ex", "checked_errors", "scalar_read", "read"),
    DeviceOp("aten::normal", "tensor_std", "scalar_read", "seen"),
    DeviceOp("aten::segment_reduce", "checked_lengths", "scalar_read", "read"),
    DeviceOp("aten::is_nonzero", "always", "control_flow", "seen"),
    DeviceOp("aten::equal", "different_memory", "control_flow", "read"),
    DeviceOp("aten::allclose", "always", "control_flow", "seen"),
    DeviceOp("aten::nonzero", "always", "dynamic_shape", "seen"),
    DeviceOp("aten::nonzero_numpy", "always", "dynamic_shape", "seen"),
    DeviceOp("aten::argwhere", "always", "dynamic_shape", "seen"),
    DeviceOp("aten::masked_select", "always", "dynamic_shape", "seen"),
    DeviceOp("aten::_unique", "always", "dynamic_shape", "read"),
    DeviceOp("aten::_unique2", "always", "dynamic_shape", "seen"),
    DeviceOp("aten::unique_dim", "always", "dynamic_shape", "read"),
    DeviceOp("aten::unique_consecutive", "always", "dynamic_shape", "seen"),
    DeviceOp("aten::unique_dim_consecutive", "always", "dynamic_shape", "read"),
    DeviceOp("aten::repeat_interleave", "without_output_size", "dynamic_shape", "seen"),
    DeviceOp("aten::bincount", "always", "dynamic_shape", "seen"),
    DeviceOp("aten::one_hot", "without_num_classes", "dynamic_shape", "seen"),
    DeviceOp("aten::histc", "without_range", "dynamic_shape", "seen"),
    DeviceOp("aten::combinations", "always", "dynamic_shape", "seen"),
    DeviceOp("aten::_coalesce", "always", "dynamic_shape", "read"),
    DeviceOp("aten::_to_sparse", "always", "dynamic_shape", "seen"),
    DeviceOp("aten::mm", "uncoalesced", "dynamic_shape", "read"),
    DeviceOp("aten::addmm", "uncoalesced", "dynamic_shape", "read"),
    DeviceOp("aten::_sparse_addmm", "uncoalesced", "dynamic_shape", "read"),
    DeviceOp("aten::hspmm", "uncoalesced", "dynamic_shape", "read"),
    DeviceOp("aten::embedding_renorm_", "always", "dynamic_shape", "read"),
    DeviceOp("torchvision::nms", "always", "dynamic_shape", "seen"),
    DeviceOp("fbgemm::permute_sparse_features", "always", "dynamic_shape", "seen"),
    DeviceOp("aten::index", "device_mask", "dynamic_shape", "seen"),
    DeviceOp("aten::index_put_", "device_mask_filled", "dynamic_shape", "seen"),
    DeviceOp("aten::index_put", "device_mask_filled", "dynamic_shape", "read"),
    DeviceOp("aten::_index_put_impl_", "device_mask_filled", "dynamic_shape", "seen"),
    DeviceOp("aten::linalg_matrix_exp", "always", "host_read", "read"),
    DeviceOp("aten::linalg_eig", "always", "host_read", "read"),
    DeviceOp("aten::_linalg_eigvals", "always", "host_read", "read"),
)
"""Linear algebra checks for errors inside its own kernels, or copies norms and matrices to the host.

Copies are in no row: whether one happens is a matter of where its two tensors are."""

DYNAMIC_SHAPE_OPS = tuple(
    row
    for row in OPS
    if row.kind == "dynamic_shape"
    and row.condition not in ("device_mask", "device_mask_filled", "uncoalesced")
)
"""Ops that read back how large their result is; indexing by a mask does it by `aten::nonzero`, a
product with an uncoalesced matrix by `aten::_coalesce`."""

SHAPE_READERS = frozenset(row.op for row in DYNAMIC_SHAPE_OPS)
"""The names alone."""

TRUTH_READERS = frozenset(row.op for row in OPS if row.kind == "control_flow")
"""Ops that Python asks for a truth value, which it branches on."""
