"""Sentences of the tables and the page of memory."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.records import dataclass
from tbprof.texts.figures.names import name_words
from tbprof.texts.figures.quantities import count, size

MISSING = (
    "No allocations were recorded: record a window with `profile_memory=True`, which torch.profiler and the "
    "hook both take."
)


_CPU = "CPU"
_WHILE_PROFILED = "of what was allocated while a profiler ran"
_OF_A_CPU = (
    "on the CPU torch counts only while a profiler runs, so that what was there before is missing, and what "
    "is freed between windows stays in the sum"
)


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
    before_bytes: int | None
    """What of it was there before the recording; None where that is not known."""


def memory_sentence(devices: Sequence[MemoryFigures], *, in_steps: bool, steps: int) -> str:
    """What was allocated at most, device by device."""
    return f"Memory {_scope(in_steps=in_steps, steps=steps)}: {peak_words(devices)}."


def peak_words(devices: Sequence[MemoryFigures]) -> str:
    """The same without its scope."""
    return "; ".join(_peak(one) for one in devices)


def _peak(figures: MemoryFigures) -> str:
    if not figures.is_recorded:
        return f"{figures.device} at least {size(figures.peak_bytes)} above its lowest"
    before = f", {size(figures.before_bytes)} of it from before the window" if figures.before_bytes else ""
    if figures.device == _CPU:
        return f"{figures.device} at most {size(figures.peak_bytes)} {_WHILE_PROFILED}{before}"
    told = f"{figures.device} at most {size(figures.peak_bytes)} allocated{before}"
    return told if figures.reserved_bytes is None else f"{told}, {size(figures.reserved_bytes)} reserved"


def _scope(*, in_steps: bool, steps: int) -> str:
    if in_steps and steps:
        return f"of {count(steps, 'step')}"
    return f"of the whole trace with {count(steps, 'step')}" if steps else "of the whole trace"


@dataclass(frozen=True, slots=True)
class HeldFigures:
    """The peak of one device."""

    device: str
    peak_bytes: int
    is_recorded: bool
    step: str | None
    reserved_bytes: int | None
    before_bytes: int | None
    """What of it was there before the recording; None where that is not known."""
    largest: str | None
    """Who holds most of the rest; None where nobody is known."""
    largest_bytes: int
    events: int


def peak_headline(figures: HeldFigures) -> str:
    """What the peak is, and who holds most of it."""
    where = "" if figures.step is None else f", in {figures.step}"
    if not figures.is_recorded:
        return f"{figures.device} holds at most {size(figures.peak_bytes)} above its lowest moment{where}."
    held = []
    if figures.largest is not None:
        held.append(f"{size(figures.largest_bytes)} of it from `{name_words(figures.largest)}`")
    if figures.before_bytes:
        held.append(f"{size(figures.before_bytes)} from before the recording")
    scope = f" {_WHILE_PROFILED}" if figures.device == _CPU else ""
    told = f"{figures.device} holds at most {size(figures.peak_bytes)}{scope}{where}"
    return f"{told}: {' and '.join(held)}." if held else f"{told}."


def peak_note(figures: HeldFigures) -> str:
    """What the figures are of."""
    told = f"{count(figures.events, 'event')} of the allocator"
    if not figures.is_recorded:
        return (
            f"{told}; torch before 1.10 records neither totals nor addresses, so who holds what is not known"
        )
    if figures.device == _CPU:
        return f"{told}; {_OF_A_CPU}"
    if figures.reserved_bytes is None:
        return told
    spare = figures.reserved_bytes - figures.peak_bytes
    return f"{told}; {size(figures.reserved_bytes)} reserved at most, {size(spare)} above the peak"
