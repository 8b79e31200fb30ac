"""The devices whose allocations a trace holds, and whether it holds nothing else."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tbprof.trace.columns.arrays import distinct
from tbprof.trace.columns.columns import Category, Trace
from tbprof.trace.columns.tables import MemoryEvents

_CPU = 0
_NAMES: Mapping[int, str] = {1: "GPU", 6: "GPU", 12: "GPU", 13: "GPU", 15: "HPU", 19: "MTIA"}
"""By c10's number of the kind; all others are a `device`."""


def device_name(kind: int, number: int) -> str:
    """As people call it, by c10's number of its kind and its own number."""
    return "CPU" if kind == _CPU else f"{_NAMES.get(kind, 'device')} {number}"


def allocating_devices(memory: MemoryEvents) -> tuple[tuple[int, int], ...]:
    """Kind and number of each: GPUs in the order of their numbers, the CPU last."""
    kinds, numbers = memory.device_type.astype(np.int64), memory.device.astype(np.int64)
    # Both are numbers of a byte, below 0 where a file is wrong.
    found = (divmod(pair, 256) for pair in distinct(kinds * 256 + numbers + 128).tolist())
    pairs = ((kind, number - 128) for kind, number in found)
    return tuple(sorted(pairs, key=lambda one: (one[0] == _CPU, one)))


def holds_only_allocations(trace: Trace) -> bool:
    """Whether allocators were recorded, and nothing that the host or a device did."""
    memory = trace.memory
    return memory is not None and len(memory) > 0 and not (trace.slices.category != Category.OTHER).any()
