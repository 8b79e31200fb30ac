"""Kinds of collectives and what each asks of the links (data).

Bus bandwidth is algorithm bandwidth times a factor of the kind and of the group's size, after NVIDIA's
nccl-tests (PERFORMANCE.md): what a perfect ring moves over each link, so that kinds can be compared. Sizes
are those of the gathered side: the larger of what goes in and what comes out.
"""

from __future__ import annotations

import re

UNKNOWN = "unknown"

_KINDS = (
    (r"all_?reduce|cross_device_reduce", "all_reduce"),
    (r"reduce_?scatter", "reduce_scatter"),
    (r"all_?gather", "all_gather"),
    (r"broadcast", "broadcast"),
    (r"all_?to_?all|\bdispatch\b|\bcombine\b", "all_to_all"),
    (r"send_?recv", "send_recv"),
    (r"\b_?i?send", "send"),
    (r"\b_?i?recv", "recv"),
    (r"barrier", "barrier"),
    (r"scatter", "scatter"),
    (r"gather", "gather"),
    (r"reduce", "reduce"),
    (r"Memcpy PtoP", "copy"),
)
"""What a name holds, the more telling first: names of torch's ops, of NCCL's kernels, of others' kernels."""

_SHARED = ("all_gather", "reduce_scatter", "all_to_all", "gather", "scatter")
"""Kinds in which a rank keeps its own part."""


def kind_of(name: str) -> str:
    """The kind that a name tells, else `UNKNOWN`."""
    return next((kind for part, kind in _KINDS if re.search(part, name, re.IGNORECASE)), UNKNOWN)


def bus_factor(kind: str, group_size: int | None) -> float | None:
    """Bus over algorithm bandwidth; None where the group's size decides and was not recorded."""
    if kind not in ("all_reduce", *_SHARED):
        return 1.0 if kind != UNKNOWN else None
    if group_size is None or group_size < 1:
        return None
    share = (group_size - 1) / group_size
    return 2 * share if kind == "all_reduce" else share
