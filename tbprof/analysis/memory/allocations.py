"""Which call of an operator each event of an allocator lies in, and what calls allocated."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.nesting import Nest
from tbprof.analysis.facts import Facts
from tbprof.analysis.memory.blocks import Blocks, find_blocks
from tbprof.analysis.memory.curves import MemoryCurve, window_curves
from tbprof.analysis.operators.operators import Operators, find_operators
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE
from tbprof.trace.columns.columns import Int64s, Slices
from tbprof.trace.columns.tables import MemoryEvents

__all__ = ["DeviceMemory", "WindowMemory", "window_memory"]


@dataclass(frozen=True, slots=True, eq=False)
class DeviceMemory:
    curve: MemoryCurve
    blocks: Blocks | None
    """None where addresses are not recorded."""
    change_bytes: Int64s
    """Of each event of the curve, below 0 where memory was given back."""
    call: Int64s
    """Of each event of the curve the innermost call of an operator around it, or `NONE`."""


@dataclass(frozen=True, slots=True, eq=False)
class WindowMemory:
    operators: Operators
    devices: tuple[DeviceMemory, ...]
    """GPUs first; none where no allocator was recorded."""


def window_memory(facts: Facts) -> WindowMemory:
    """All that the allocators were recorded to do; `facts` with `MEMORY_TABLES`."""
    operators, memory = facts.once(find_operators), facts.trace.memory
    if memory is None or len(memory) == 0:
        return WindowMemory(operators, ())
    call = _calls(facts.trace.slices, operators, memory)
    return WindowMemory(
        operators,
        tuple(
            DeviceMemory(curve, find_blocks(memory, curve), memory.bytes[curve.events], call[curve.events])
            for curve in facts.once(window_curves)
        ),
    )


def _calls(slices: Slices, operators: Operators, memory: MemoryEvents) -> Int64s:
    """A call holds the instant at which it starts, and not the one at which it ends."""
    nest = Nest.of(slices, operators.rows)
    at = nest.innermost(memory.lane.astype(np.int64), memory.time_ns, memory.time_ns + 1)
    position = np.argsort(operators.rows)
    found = np.full(len(at), NONE, np.int64)
    known = at != NONE
    found[known] = position[np.searchsorted(operators.rows[position], nest.rows[at[known]])]
    return found
