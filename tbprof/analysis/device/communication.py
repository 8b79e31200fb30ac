"""Which device rows are communication: they look busy, and may only be waiting for another rank.

A row is communication by the name of its kernel, or because the call that launched it lies in a
`record_param_comms` op, whatever its name. Copies between devices are communication too.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.intervals import union
from tbprof.analysis.arrays.names import matching_names, matching_rows
from tbprof.analysis.device.device_work import DeviceWork
from tbprof.trace.columns.arrays import NONE
from tbprof.trace.columns.columns import Category, Trace

__all__ = ["KERNELS", "is_communication"]

KERNELS = (
    # NCCL, and RCCL, which keeps NCCL's names: DDP and DLRM traces of 2022 to 2025.
    r"(?:void )?ncclDevKernel",
    r"(?:void )?ncclKernel",
    r"(?:void )?(?:rccl|mscclKernel|msccl)",
    # oneCCL, on XPU.
    r"(?:void )?oneccl",
    # Hand-written all-reduces of vLLM and SGLang.
    r".*\bcross_device_reduce",
    r".*\bquick_?reduce::allreduce",
    r".*\b(?:allreduce|all_reduce|all_gather|reduce_scatter)_(?:fusion|kernel|two_?shot|one_?shot)",
    # Symmetric memory of torch.
    r".*\b(?:multimem|one_shot|two_shot)_(?:all_reduce|all_gather|reduce_scatter)",
    # NVSHMEM, and DeepEP's dispatch and combine.
    r".*\bnvshmem",
    r".*\bdeep_ep::",
    # A copy from one device to another.
    r"Memcpy PtoP",
)
"""Beginnings of names, each a regular expression, with where they were seen."""

_OPS = r"record_param_comms"


def is_communication(trace: Trace, work: DeviceWork) -> npt.NDArray[np.bool_]:
    """One entry a row of `work`."""
    slices = trace.slices
    named = matching_names(trace, "|".join(f"(?:{name})" for name in KERNELS))[slices.name[work.rows]]
    ops = matching_rows(trace, _OPS, Category.CPU_OP, Category.USER_ANNOTATION)
    found: npt.NDArray[np.bool_] = named.copy()
    is_kernel = work.is_kernel
    for lane in np.unique(slices.lane[ops]).tolist():
        mine = ops[slices.lane[ops] == lane]
        inside = union(slices.start_ns[mine], slices.end_of(mine))
        launched = is_kernel & (work.launch != NONE) & (slices.lane[work.launch] == lane)
        at = np.searchsorted(inside.start_ns, work.launch_start_ns, side="right") - 1
        held = (at >= 0) & (work.launch_start_ns < inside.end_ns[np.maximum(at, 0)])
        found |= launched & held
    return found
