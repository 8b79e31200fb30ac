"""The peak of each device's memory."""

from __future__ import annotations

from tbprof.analysis.facts import Facts
from tbprof.analysis.memory.curves import MemoryCurve, window_curves
from tbprof.model import MemoryPeak, StepIndex
from tbprof.trace.columns.arrays import NONE


def memory_peaks(facts: Facts) -> tuple[MemoryPeak, ...]:
    """GPUs in the order of their numbers, the CPU last; empty where no allocator was recorded."""
    return tuple(_peak(facts, curve) for curve in facts.once(window_curves))


def _peak(facts: Facts, curve: MemoryCurve) -> MemoryPeak:
    step = int(facts.steps.index_of(curve.time_ns[curve.peak : curve.peak + 1])[0])
    return MemoryPeak(
        device=curve.device,
        events=len(curve.events),
        peak_bytes=int(curve.allocated_bytes[curve.peak]),
        peak_ns=int(curve.time_ns[curve.peak]) - facts.origin_ns,
        step=StepIndex(step) if facts.steps.recorded and step != NONE else None,
        reserved_bytes=None if curve.reserved_bytes is None else int(curve.reserved_bytes.max()),
        is_recorded=curve.is_recorded,
    )
