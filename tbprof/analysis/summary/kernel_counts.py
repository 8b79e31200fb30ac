"""How many kernels each step runs, and in how many calls it launches them."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct


@dataclass(frozen=True, slots=True, eq=False)
class KernelCounts:
    """One entry a step."""

    kernels: Int64s
    launches: Int64s
    """Fewer than kernels where a call starts a whole graph of them."""


def kernel_counts(facts: Facts) -> KernelCounts | None:
    """Counts by step, None where no launch of a kernel was recorded.

    A kernel belongs to the step that holds the start of the call that launched it, whatever
    the thread; one whose call is not in the trace belongs to none.
    """
    slices, work, steps = facts.trace.slices, facts.work, facts.steps
    launch = work.launch[work.launched_kernels]
    if len(launch) == 0:
        return None

    def per_step(calls: Int64s) -> Int64s:
        step = steps.index_of(slices.start_ns[calls])
        counts: Int64s = np.bincount(step[step != NONE], minlength=len(steps.names))
        return counts

    return KernelCounts(kernels=per_step(launch), launches=per_step(distinct(launch)))
