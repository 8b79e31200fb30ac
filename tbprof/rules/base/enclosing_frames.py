"""Whether calls lie in Python frames of some name."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.names import matching_rows
from tbprof.analysis.arrays.nesting import Nest
from tbprof.analysis.facts import Facts
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.columns import Category


def lie_in_frames(facts: Facts, members: Int64s, pattern: str) -> npt.NDArray[np.bool_]:
    """For each of these episodes, whether a frame whose name begins so contains all of it."""
    nest = Nest.of(facts.trace.slices, matching_rows(facts.trace, pattern, Category.PYTHON))
    episodes = facts.episodes
    at = nest.innermost(episodes.lane[members], episodes.start_ns[members], episodes.end_ns[members])
    inside: npt.NDArray[np.bool_] = at != NONE
    return inside
