"""What torch's allocator of a GPU said of itself while storages came, and what lay unused in between."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter_ns

import torch

_SELDOM_NS = 200_000
"""Between two readings: each makes a dictionary of some hundred numbers. What comes and goes in between is
counted from the storages themselves."""


@dataclass(slots=True)
class AllocatorReadings:
    """By device and moment, reserved and allocated bytes; nothing of a device that keeps no cache."""

    found: dict[str, dict[int, tuple[int, int]]] = field(default_factory=dict)
    _next_ns: int = 0
    _is_open: bool = True

    def look(self, device: str, moment: int) -> None:
        """A storage of that device has come: ask the allocator, unless it was asked just now."""
        if not self._is_open or not device.startswith("cuda"):
            return
        now_ns = perf_counter_ns()
        if now_ns < self._next_ns and device in self.found:
            return
        try:
            said = torch.cuda.memory_stats_as_nested_dict(device)
            reading = (said["reserved_bytes"]["all"]["current"], said["allocated_bytes"]["all"]["current"])
        except (RuntimeError, KeyError):
            # An allocator of the program's own keeps no figures.
            self._is_open = False
            self.found.clear()
            return
        self.found.setdefault(device, {})[moment] = reading
        self._next_ns = perf_counter_ns() + _SELDOM_NS


class Unused:
    """Of one device, followed from moment to moment."""

    def __init__(self, readings: dict[int, tuple[int, int]] | None) -> None:
        self._readings = readings or {}
        self._reserved = self._used = 0

    def after(self, moment: int, change: int) -> int:
        """What lies unused in the cache once so many bytes have been taken or given back."""
        self._used += change
        if moment in self._readings:
            self._reserved, self._used = self._readings[moment]
        return max(0, self._reserved - self._used)
