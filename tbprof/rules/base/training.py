"""Whether a window trains anything."""

from __future__ import annotations

from tbprof.analysis.arrays.names import matching_names
from tbprof.analysis.facts import Facts

_TRAINING = r"autograd::engine|Optimizer\.step|.*Backward\d*$|.*_backward$"


def trains(facts: Facts) -> bool:
    """Whether a backward pass or an optimizer is on record, inside the steps or outside."""
    return bool(matching_names(facts.trace, _TRAINING).any())
