"""Whether there is a later step to read in: what is read late is read in a step after it, or a later round.

A window shows that there is one, or its program trains: then steps follow the last one as well. In the
only step of an inference, or its last, a read that is made once is the result that was asked for; one
that is repeated belongs to a loop inside the step, and can be made a round later, or after it.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.names import matching_rows
from tbprof.analysis.steps import OUTSIDE
from tbprof.trace.columns import Category, Int64s

__all__ = ["has_later_step"]

_TRAINS = r"autograd::engine::evaluate_function|Optimizer\.step#"


def has_later_step(facts: Facts, members: Int64s) -> bool:
    """Whether a step, or another round of the same step, follows any of these episodes."""
    step = facts.episodes.step[members]
    step = step[step != OUTSIDE]
    if bool((step < len(facts.steps) - 1).any()) or bool((np.bincount(step, minlength=1) > 1).any()):
        return True
    return len(matching_rows(facts.trace, _TRAINS, Category.CPU_OP, Category.USER_ANNOTATION)) > 0
