"""Whether too much of a device's work was lost for anything to be said of the device."""

from __future__ import annotations

from tbprof.model import HealthFact
from tbprof.trace.columns.columns import Trace


def lost_kernels(trace: Trace) -> HealthFact | None:
    """How many launches lack their work (`rows`, `of`), where so many do that the reader warns."""
    for fact in trace.health:
        if fact.code == "launches_without_gpu_rows":
            return fact if fact.severity == "warning" else None
    return None
