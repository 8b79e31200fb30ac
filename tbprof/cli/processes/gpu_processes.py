"""Who else works on a GPU, asked of the driver's library by the process that publishes a window.

Not by the training: the question takes milliseconds there, some with a lock of the driver held.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
from pathlib import Path
from typing import Any

__all__ = ["add_other_processes", "other_processes"]


def add_other_processes(facts: Path, gpu: str) -> None:
    """Write into a window's facts how many others are on the device, or why that is not known.

    Args:
        facts: the hook's `X.facts.json`; what stands in it stays, whatever happens here.
        gpu: the driver's name of the device, `GPU-<uuid>`.
    """
    with contextlib.suppress(OSError, ValueError):
        known = json.loads(facts.read_bytes())
        if not isinstance(known, dict):
            return
        try:
            known["other_gpu_processes"] = other_processes(gpu, os.getppid())
        except Exception as error:  # noqa: BLE001 - the driver's library has a family of errors of its own
            reason = f"{type(error).__name__}: {error}"
            known.setdefault("missing", []).append({"name": "other_gpu_processes", "reason": reason})
        aside = facts.with_name(facts.name + ".tmp")
        aside.write_text(json.dumps(known), encoding="utf-8")
        aside.replace(facts)


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
