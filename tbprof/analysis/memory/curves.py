"""How much memory of each device was allocated and reserved, after every event of its allocator."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.device.allocating_devices import allocating_devices, device_name
from tbprof.analysis.facts import Facts
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int64s
from tbprof.trace.columns.tables import MemoryEvents, Tables

MEMORY_TABLES: Tables = frozenset(("memory",))
"""What of a trace the curves read."""


@dataclass(frozen=True, slots=True, eq=False)
class MemoryCurve:
    """Of one device, an entry an event, by time; events of one instant in file order."""

    device: str
    """`CPU`, `GPU 0`, ..."""
    events: Int64s
    """Index of each into the table `memory` of the trace."""
    time_ns: Int64s
    allocated_bytes: Int64s
    """Right after each event."""
    reserved_bytes: Int64s | None
    """The same of what the allocator holds of the device; None where it keeps no cache, or did not say."""
    is_recorded: bool
    """Whether the allocator said its totals; else they are the sums of the events, 0 being the lowest."""

    @property
    def peak(self) -> int:
        """Position of the event after which most was allocated, the first of several."""
        return int(self.allocated_bytes.argmax())


def window_curves(facts: Facts) -> tuple[MemoryCurve, ...]:
    """Those of all devices of a window; none where no allocator was recorded."""
    memory = facts.trace.memory
    return () if memory is None else memory_curves(memory)


def memory_curves(memory: MemoryEvents) -> tuple[MemoryCurve, ...]:
    """Those of all devices: GPUs in the order of their numbers, the CPU last."""
    kinds, numbers = memory.device_type.astype(np.int64), memory.device.astype(np.int64)
    return tuple(
        _curve(memory, device_name(kind, number), np.flatnonzero((kinds == kind) & (numbers == number)))
        for kind, number in allocating_devices(memory)
    )


def _curve(memory: MemoryEvents, device: str, events: Int64s) -> MemoryCurve:
    events = events[np.argsort(memory.time_ns[events], kind="stable")]
    allocated, reserved = memory.total_allocated_bytes[events], memory.total_reserved_bytes[events]
    is_recorded = bool((allocated >= 0).all())
    if not is_recorded:
        allocated = np.cumsum(memory.bytes[events])
        allocated = allocated - min(int(allocated.min()), 0)
    return MemoryCurve(
        device=device,
        events=events,
        time_ns=memory.time_ns[events],
        allocated_bytes=allocated,
        reserved_bytes=reserved if (reserved >= 0).all() and reserved.any() else None,
        is_recorded=is_recorded,
    )
