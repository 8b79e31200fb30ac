"""A stand-in of what torch's allocator of a GPU tells of itself, on the Python side, with torch 2.13's names.

`torch/cuda/memory.py` gives the signatures, `torch/csrc/cuda/Module.cpp` what an observer is called with, and
that what it raises takes the place of the error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from stand_in_cuda import Patch, StandInCuda

FRAME = {"filename": "/home/ada/train.py", "line": 7, "name": "main"}


@dataclass
class StandInAllocator:
    """Blocks of 1,000 bytes on one device."""

    blocks: int = 3
    events: int = 2
    is_recording: bool = False
    is_refusing: bool = False
    calls: list[Any] = field(default_factory=list)
    observers: list[Callable[[int, int, int, int], None]] = field(default_factory=list)

    def install(self, monkeypatch: Patch) -> StandInAllocator:
        """Put it in torch's place until the test ends."""
        StandInCuda(devices=2).install(monkeypatch)
        monkeypatch.setattr(torch._C, "_cuda_isHistoryEnabled", lambda: self.is_recording, raising=False)
        monkeypatch.setattr(
            torch._C, "_cuda_attach_out_of_memory_observer", self.observers.append, raising=False
        )
        monkeypatch.setattr(torch.cuda.memory, "_record_memory_history", self.record)
        monkeypatch.setattr(torch.cuda.memory, "_snapshot", self.snapshot)
        monkeypatch.setattr(torch.cuda, "memory_stats_as_nested_dict", self.statistics)
        return self

    def fail(self, device: int, asked: int, total: int, free: int) -> None:
        """An allocation fails: observers are called, and what they raise is what the program gets."""
        for observer in self.observers:
            observer(device, asked, total, free)

    def record(self, enabled: str | None = "all", **options: Any) -> None:
        self.calls.append((enabled, options))
        if self.is_refusing:
            raise RuntimeError("recordHistory is not supported by this allocator")
        self.is_recording = enabled is not None

    def statistics(self, _: object = None) -> dict[str, Any]:
        figures = {"active": self.blocks, "allocated_bytes": 1000 * self.blocks, "reserved_bytes": 4000}
        return {name: {"all": {"current": figure}} for name, figure in figures.items()}

    def snapshot(self) -> dict[str, Any]:
        self.calls.append("snapshot")
        block = {"size": 1000, "state": "active_allocated", "frames": [FRAME]}
        segment = {"device": 0, "total_size": 4000, "blocks": [block] * self.blocks}
        event = {"action": "alloc", "size": 1000, "frames": [FRAME]}
        return {"segments": [segment], "device_traces": [[event] * self.events]}
