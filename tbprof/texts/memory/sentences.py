"""Sentences of the tables and the page of memory."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.records import dataclass
from tbprof.texts.figures.quantities import count, size

__all__ = ["MemoryFigures", "memory_sentence"]


@dataclass(frozen=True, slots=True)
class MemoryFigures:
    """Of one device."""

    device: str
    peak_bytes: int
    """Allocated."""
    reserved_bytes: int | None
    """The most; None where the allocator keeps no cache, or did not say."""
    is_recorded: bool
    """Whether the allocator said its totals; else what was there before the recording is not known."""


def memory_sentence(devices: Sequence[MemoryFigures], *, in_steps: bool, steps: int) -> str:
    """What was allocated at most, device by device."""
    told = "; ".join(_peak(one) for one in devices)
    return f"Memory {_scope(in_steps=in_steps, steps=steps)}: {told}."


def _peak(figures: MemoryFigures) -> str:
    if not figures.is_recorded:
        return f"{figures.device} at least {size(figures.peak_bytes)} above its lowest"
    told = f"{figures.device} at most {size(figures.peak_bytes)} allocated"
    return told if figures.reserved_bytes is None else f"{told}, {size(figures.reserved_bytes)} reserved"


def _scope(*, in_steps: bool, steps: int) -> str:
    if in_steps and steps:
        return f"of {count(steps, 'step')}"
    return f"of the whole trace with {count(steps, 'step')}" if steps else "of the whole trace"
