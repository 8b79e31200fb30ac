"""Whether the host records CUDA graphs in this window, rather than running the program."""

from __future__ import annotations

from tbprof.model import HealthFact
from tbprof.trace.columns.columns import Trace

__all__ = ["mostly_captured"]

_MOST = 0.5
"""Of the launches: from here on the window shows a capture, which happens once."""


def mostly_captured(trace: Trace) -> HealthFact | None:
    """How many launches recorded a graph and ran nothing (`rows`, `of`), where most did."""
    for fact in trace.health:
        if fact.code == "launches_captured" and int(fact.numbers["rows"]) >= _MOST * int(fact.numbers["of"]):
            return fact
    return None
