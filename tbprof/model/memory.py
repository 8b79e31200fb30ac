"""How much memory a window's allocators gave at most."""

from __future__ import annotations

from tbprof.model.indexes import StepIndex
from tbprof.records import dataclass

__all__ = ["MemoryPeak"]


@dataclass(frozen=True, slots=True)
class MemoryPeak:
    """Of one device, or of the CPU."""

    device: str
    """`CPU`, `GPU 0`, ..."""
    events: int
    peak_bytes: int
    """Allocated; above the lowest moment of the window where `is_recorded` is false."""
    peak_ns: int
    step: StepIndex | None
    """None outside every step, and where none are marked."""
    reserved_bytes: int | None
    """The most that the allocator held; None where it keeps no cache, or did not say."""
    is_recorded: bool
    """Whether the allocator said its totals: torch before 1.10 does not."""
