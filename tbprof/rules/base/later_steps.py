"""Whether there is a later step to read in: what is read late is read in a step after it.

A window shows that there is one, or its program trains: then steps follow the last one as well. So it
is with a loop in a step, that launches more between its reads. The one read of an inference's only step,
or its last, is the result that was asked for.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.names import matching_rows
from tbprof.analysis.facts import Facts
from tbprof.trace.columns.arrays import NONE, Int64s, distinct
from tbprof.trace.columns.columns import Category

_TRAINS = r"autograd::engine::evaluate_function|Optimizer\.step#"


def has_later_step(facts: Facts, members: Int64s) -> bool:
    """Whether a step, or another turn of a loop, follows any of these episodes."""
    work = facts.work
    computes = work.is_kernel
    launched = np.sort(work.launch_start_ns[computes], kind="stable")
    if len(distinct(np.searchsorted(launched, facts.episodes.start_ns[members]))) > 1:
        return True
    step = facts.episodes.step[members]
    is_before_another = (step != NONE) & (step < len(facts.steps) - 1)
    if facts.steps.recorded and bool(is_before_another.any()):
        return True
    return len(matching_rows(facts.trace, _TRAINS, Category.CPU_OP, Category.USER_ANNOTATION)) > 0
