"""Who else works on a GPU, asked of the driver's library by the process that publishes a window.

Not by the training: the question takes milliseconds there, some with a lock of the driver held.
"""

from __future__ import annotations

import contextlib
import importlib
import json
from pathlib import Path
from typing import Any

from tbprof.safe_open import content_within, replace_whole

_MOST_FACTS_BYTES = 256 * 1024 * 1024


def add_other_processes(facts: Path, gpu: str, training: int) -> None:
    """Write into a window's facts how many others are on the device, or why that is not known.

    Args:
        facts: the hook's `X.facts.json`; what stands in it stays, whatever happens here.
        gpu: the driver's name of the device, `GPU-<uuid>`.
        training: the number of the process that recorded the window.
    """
    with contextlib.suppress(OSError, ValueError):
        known = json.loads(content_within(facts, _MOST_FACTS_BYTES))
        if not isinstance(known, dict):
            return
        try:
            known["other_gpu_processes"] = other_processes(gpu, training)
        except Exception as error:  # noqa: BLE001 - the driver's library has a family of errors of its own
            reason = f"{type(error).__name__}: {error}"
            known.setdefault("missing", []).append({"name": "other_gpu_processes", "reason": reason})
        replace_whole(facts, json.dumps(known).encode())


def other_processes(gpu: str, training: int) -> int | None:
    """Processes on the device besides the process `training`; None without `nvidia-ml-py` to ask through.

    A container sees process numbers of its own: there, one of those listed is the training's.
    """
    try:
        nvml: Any = importlib.import_module("pynvml")
    except ModuleNotFoundError:
        return None
    nvml.nvmlInit()
    try:
        listed = nvml.nvmlDeviceGetComputeRunningProcesses(nvml.nvmlDeviceGetHandleByUUID(gpu))
    finally:
        nvml.nvmlShutdown()
    others = [process.pid for process in listed if process.pid != training]
    return len(others) if len(others) < len(listed) else max(len(others) - 1, 0)
