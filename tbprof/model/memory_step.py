"""What held memory in one step of a training, as the hook leaves it."""

from __future__ import annotations

from tbprof.records import dataclass

__all__ = ["MEMORY_KINDS", "MemoryStep"]

MEMORY_KINDS = (
    *("parameters", "gradients", "optimizer state", "activations", "inputs", "temporaries", "other"),
)
"""Parameters are buffers of modules as well. Activations are what a forward made and a backward used or gave
back; inputs were made before the first module was called, or elsewhere, as by a DataLoader, and given to one;
others were there before the step, or outlived it, without being one of these."""


@dataclass(frozen=True, slots=True)
class MemoryStep:
    """Of one device, the fullest; bytes that tensors asked for, without an allocator's rounding."""

    schema: int
    worker: str
    step: int
    """The steps that were over when it began."""
    device: str
    """`CPU` or `GPU 0`."""
    peak_bytes: int
    peak_us: float
    """Since the step began."""
    phase: str
    """Of the peak: `forward`, `backward` or `optimizer`."""
    kinds: tuple[tuple[str, int], ...]
    """At the peak, in the order of `MEMORY_KINDS`."""
    modules: tuple[tuple[str, int], ...]
    """At the peak, the largest first; "" is what no module made or has."""
    lines: tuple[tuple[str, int], ...]
    """The same by the line that allocated; "" where none of the program's did in this step."""
    curve: tuple[tuple[float, ...], ...]
    """Time in us and the bytes of each of `MEMORY_KINDS`, over the step."""
    cached_bytes: int | None
    """What torch's allocator held unused at the end of the step; None on the CPU, where it keeps no cache."""
    is_whole: bool
    """Whether all was followed; else there was too much of it, or no time."""
