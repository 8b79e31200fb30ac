"""What the allocators of a window were recorded to do, and in which calls of operators."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.nesting import Nest
from tbprof.analysis.facts import Facts
from tbprof.analysis.memory.blocks import Blocks, find_blocks
from tbprof.analysis.memory.curves import MemoryCurve, window_curves
from tbprof.analysis.operators.operators import find_operators
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s


@dataclass(frozen=True, slots=True, eq=False)
class DeviceMemory:
    curve: MemoryCurve
    blocks: Blocks | None
    """None where addresses are not recorded."""


def window_memory(facts: Facts) -> tuple[DeviceMemory, ...]:
    """By device, GPUs first; none where no allocator was recorded. `facts` with `MEMORY_TABLES`."""
    memory = facts.trace.memory
    if memory is None or len(memory) == 0:
        return ()
    return tuple(DeviceMemory(curve, find_blocks(memory, curve)) for curve in facts.once(window_curves))


def change_bytes(facts: Facts, device: DeviceMemory) -> Int64s:
    """Of each event of a device's curve, below 0 where memory was given back."""
    memory = facts.trace.memory
    changed: Int64s = np.empty(0, np.int64) if memory is None else memory.bytes[device.curve.events]
    return changed


def allocating_calls(facts: Facts, device: DeviceMemory) -> Int64s:
    """Of each event of a device's curve the innermost call of `find_operators` around it, or `NONE`."""
    calls: Int64s = facts.once(_calls)[device.curve.events]
    return calls


def _calls(facts: Facts) -> Int64s:
    """Of each event of the memory. A call holds the instant at which it starts, not the one at its end."""
    operators, memory = facts.once(find_operators), facts.trace.memory
    if memory is None:
        return np.empty(0, np.int64)
    nest = Nest.of(facts.trace.slices, operators.rows)
    at = nest.innermost(memory.lane.astype(np.int64), memory.time_ns, memory.time_ns + 1)
    position = np.argsort(operators.rows, kind="stable")
    found = np.full(len(at), NONE, np.int64)
    known = at != NONE
    found[known] = position[np.searchsorted(operators.rows[position], nest.rows[at[known]])]
    return found
