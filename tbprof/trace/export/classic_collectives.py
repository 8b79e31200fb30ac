"""How a collective of NCCL or RCCL must be named for torch-tb-profiler to count it.

It knows five names of operators, and takes a kernel for communication if it bears the
`External id` of one of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

COUNTED = frozenset(
    {"nccl:broadcast", "nccl:reduce", "nccl:all_reduce", "nccl:all_gather", "nccl:reduce_scatter"}
)
GLOO_COUNTED = frozenset(name.replace("nccl:", "gloo:") for name in COUNTED)

_KERNEL = re.compile(r"(?:void )?(?:nccl|rccl|msccl)\w*kernel", re.IGNORECASE)
_MOVES_ONLY = "nccl:broadcast"
"""For what the plugin has no name: sending, receiving, all-to-all. Like a broadcast it adds nothing up."""
_NAMES = (
    ("allreduce", "nccl:all_reduce"),
    ("reducescatter", "nccl:reduce_scatter"),
    ("allgather", "nccl:all_gather"),
    ("broadcast", "nccl:broadcast"),
    ("sendrecv", _MOVES_ONLY),
    ("alltoall", _MOVES_ONLY),
    ("reduce", "nccl:reduce"),
)
_TYPES = {
    "Float": "float",
    "Int": "int",
    "Long": "long int",
    "Double": "long int",
    "Half": "c10::Half",
    "BFloat16": "c10::BFloat16",
}
"""The plugin shows sizes only, so any type of the same size will do."""
_ONE_BYTE = "unsigned char"


def is_collective(kernel: str) -> bool:
    """Whether a kernel of this name is the library's that communicates."""
    return _KERNEL.match(kernel) is not None


def classic_name(*texts: str) -> str:
    """The counted name of a collective's operator.

    Args:
        texts: what may name the collective, the surest first: `Collective name` of the
            kernel's arguments, the kernel (RCCL's is often a generic one), operators around.
    """
    for text in texts:
        plain = text.lower().replace("_", "")
        for part, name in _NAMES:
            if part in plain:
                return name
    return _MOVES_ONLY


def message(args: Mapping[str, object]) -> dict[str, object]:
    """The arguments by which the plugin sees the size of a collective; none where not recorded."""
    count, kind = args.get("In msg nelems"), args.get("dtype")
    if not isinstance(count, int) or not isinstance(kind, str):
        return {}
    return {"Input Dims": [[count]], "Input type": [_TYPES.get(kind, _ONE_BYTE)]}
