"""Whether there is a later step to read in: what is read late is read in a step after it.

A window shows that there is one, or its program trains: then steps follow the last one as well. In the
only step of an inference, or its last, the read is the result that was asked for.
"""

from __future__ import annotations

from tbprof.analysis.facts import Facts
from tbprof.analysis.names import matching_rows
from tbprof.analysis.steps import OUTSIDE
from tbprof.trace.columns import Category, Int64s

__all__ = ["has_later_step"]

_TRAINS = r"autograd::engine::evaluate_function|Optimizer\.step#"


def has_later_step(facts: Facts, members: Int64s) -> bool:
    """Whether a step follows any of these episodes. Where no steps are marked, a repeated one has one."""
    if not facts.steps.recorded and len(members) > 1:
        return True
    step = facts.episodes.step[members]
    is_before_another = (step != OUTSIDE) & (step < len(facts.steps) - 1)
    if facts.steps.recorded and bool(is_before_another.any()):
        return True
    return len(matching_rows(facts.trace, _TRAINS, Category.CPU_OP, Category.USER_ANNOTATION)) > 0
