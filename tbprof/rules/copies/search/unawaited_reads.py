"""Copies to the host that nothing waits for before the step after them has ended."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.names import matching_rows
from tbprof.analysis.facts import Facts
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.columns import Category

_QUERY = r"(?:cuda|hip|cu)(?:Event|Stream)Query"


def find_unawaited(facts: Facts, members: Int64s) -> Int64s:
    """Those of these episodes after which no thread waits for, or asks about, any device work.

    A wait counts from the copy's call to the end of the next step: a copy may well be read one step
    late. Copies of the last step are left out, since what follows them is not recorded.
    """
    episodes, steps = facts.episodes, facts.steps
    members = members[(episodes.step[members] != NONE) & (episodes.step[members] < len(steps) - 1)]
    asked = matching_rows(facts.trace, _QUERY, Category.RUNTIME)
    waits = np.sort(
        np.concatenate([episodes.start_ns[episodes.blocking], facts.trace.slices.start_ns[asked]]),
        kind="stable",
    )
    first = np.searchsorted(waits, episodes.end_ns[members], side="left")
    reach = steps.end_ns[episodes.step[members] + 1]
    awaited: npt.NDArray[np.bool_] = first < np.searchsorted(waits, reach, side="left")
    return members[~awaited]
