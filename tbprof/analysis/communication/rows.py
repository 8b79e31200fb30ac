"""Which device rows are communication: they look busy, and may only be waiting for another rank.

A row is communication by the name of its kernel, or because the call that launched it lies in a
`record_param_comms` op, whatever its name. Copies between devices are communication too. Collectives
of the host (gloo) are host ranges, and never device time.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.intervals import union
from tbprof.analysis.arrays.names import are_named, matching_rows
from tbprof.analysis.device.device_work import DeviceWork
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, distinct
from tbprof.trace.columns.columns import Category, Trace

OPS = r"record_param_comms"
"""The op that torch puts around each collective's launch."""


@dataclass(frozen=True, slots=True)
class CommunicationName:
    """The beginning of a device row's name, as a regular expression, and where such a row was seen."""

    pattern: str
    seen: str


NAMES = (
    CommunicationName(r"(?:void )?ncclKernel", "traces of 2022 to 2024: DLRM on V100, DDP on A100"),
    CommunicationName(r"(?:void )?ncclDevKernel", "a trace of 2025: vLLM on B200; RCCL bears the same names"),
    CommunicationName(r"(?:void )?(?:rccl|msccl)", "source of RCCL and MSCCL"),
    CommunicationName(r"(?:void )?oneccl", "source of oneCCL, on XPU"),
    CommunicationName(
        r".*\b(?:multimem|one_shot|two_shot)_(?:one_shot_)?(?:all_reduce|all_gather|reduce_scatter)",
        "a trace of 2025: vLLM on B200, symmetric memory of torch",
    ),
    CommunicationName(r".*\bcross_device_reduce", "source of vLLM, SGLang and AITER: custom all-reduce"),
    CommunicationName(r".*\bquick_?reduce::allreduce", "source of vLLM: quick all-reduce on ROCm"),
    CommunicationName(
        r".*\b(?:allreduce|all_reduce|all_gather|reduce_scatter)_(?:fusion|kernel|two_?shot|one_?shot)",
        "source of TensorRT-LLM, FlashInfer and SGLang: fused all-reduces",
    ),
    CommunicationName(r".*\bnvshmem", "source of NVSHMEM"),
    CommunicationName(r".*\bdeep_ep::", "source of DeepEP: dispatch and combine"),
    CommunicationName(r".*\bep::(?:inter|intra)node", "a trace of 2025: DeepSeek-V3 on H800"),
    CommunicationName(r"Memcpy PtoP", "CUPTI's name of a copy from one device to another"),
)


def is_communication(trace: Trace, work: DeviceWork) -> npt.NDArray[np.bool_]:
    """One entry a row of `work`."""
    slices = trace.slices
    named = are_named(trace, work.rows, _is_communication_name)
    ops = matching_rows(trace, OPS, Category.CPU_OP, Category.USER_ANNOTATION)
    found: npt.NDArray[np.bool_] = named.copy()
    is_kernel = work.is_kernel
    for lane in distinct(slices.lane[ops]).tolist():
        mine = ops[slices.lane[ops] == lane]
        inside = union(slices.start_ns[mine], slices.end_of(mine))
        launched = is_kernel & (work.launch != NONE) & (slices.lane[work.launch] == lane)
        at = np.searchsorted(inside.start_ns, work.launch_start_ns, side="right") - 1
        held = at >= 0
        held[held] = work.launch_start_ns[held] < inside.end_ns[at[held]]
        found |= launched & held
    return found


@lru_cache(maxsize=4096)
def _is_communication_name(name: str) -> bool:
    """Kept, since several ask: of a compiled kernel's name all of its hundreds of characters are searched."""
    return re.match("|".join(f"(?:{one.pattern})" for one in NAMES), name) is not None
