"""Who else works on the GPU."""

from __future__ import annotations

import re

import torch

__all__ = ["count_others", "other_gpu_processes"]

_PROCESS = re.compile(r"^process +\d+ uses", re.MULTILINE)
_NONE = "no processes are running"


def other_gpu_processes() -> int | None:
    """Processes on the current device besides this one.

    Asked of the driver's library through torch, some ms; None without CUDA in use, or where
    torch has no `nvidia-ml-py` (or amdsmi) to ask through.
    """
    if not torch.cuda.is_initialized():
        return None
    try:
        return count_others(torch.cuda.list_gpu_processes())
    except Exception:  # noqa: BLE001 - the library's own errors, which are no concern of a training's
        return None


def count_others(listed: str) -> int | None:
    """The same from torch's listing; None where it holds an excuse instead.

    A container sees process numbers of its own, so that nobody knows which one is this process.
    """
    processes = len(_PROCESS.findall(listed))
    if processes == 0 and _NONE not in listed:
        return None
    return max(processes - 1, 0)
