"""Whether too much of a device's work was lost for anything to be said of the device."""

from __future__ import annotations

from tbprof.model import HealthFact
from tbprof.trace.columns.columns import Trace

__all__ = ["is_cut_off", "lost_kernels"]


def lost_kernels(trace: Trace) -> HealthFact | None:
    """How many launches lack their work (`rows`, `of`), where so many do that the reader warns."""
    for fact in trace.health:
        if fact.code == "launches_without_gpu_rows":
            return fact if fact.severity == "warning" else None
    return None


def is_cut_off(trace: Trace) -> bool:
    """Whether the file breaks off among its events.

    The profiler writes last of all what a device did, and not in the order of time. Any of it may be lost,
    with the calls that launched it, and nothing tells how much.
    """
    return any(fact.code == "truncated" for fact in trace.health)
