"""Whether too much of a device's work was lost for anything to be said of the device."""

from __future__ import annotations

from tbprof.model import HealthFact
from tbprof.trace.columns import Trace
from tbprof.trace.gaps import LOST_SHARE

__all__ = ["lost_kernels"]


def lost_kernels(trace: Trace) -> HealthFact | None:
    """How many launches lack their work (`rows`, `of`), where it is `LOST_SHARE` of them or more."""
    for fact in trace.health:
        if fact.code == "launches_without_gpu_rows":
            is_much = int(fact.numbers["rows"]) >= LOST_SHARE * int(fact.numbers["of"])
            return fact if is_much else None
    return None
