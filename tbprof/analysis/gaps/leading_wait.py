"""A recording that begins with a wait for work from before it, and what is left of its window.

Servers of inference wait for one batch while they prepare the next. A window of one such turn, without
marked steps, holds that wait and not the work that it is for.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.intervals import Intervals, intersect, total_ns, union
from tbprof.analysis.facts import Facts
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import is_among

_LARGE = 1 / 3
"""Of the window: a shorter gap leaves it as it is."""
_HARDLY = 0.02
"""Of the recorded work: so much may run before the gap, such as a kernel that prepares the turn."""
_WHOLE = 0.9
"""Of the gap: the host waits all the time."""


@dataclass(frozen=True, slots=True)
class LeadingWait:
    gap_ns: int
    """How long the device does nothing recorded."""
    rest_ns: int
    """From its end to that of the device's last work."""
    busy_ns: int
    """Of the rest."""


def find_leading_wait(facts: Facts, device: int) -> LeadingWait | None:
    """None where steps are marked, and where the largest gap is small, late, or no wait of the host."""
    busy = facts.work.busy[device]
    if facts.steps.recorded or len(busy.start_ns) < 2:
        return None
    gaps_ns = busy.start_ns[1:] - busy.end_ns[:-1]
    at = int(np.argmax(gaps_ns))
    begin, end, last = int(busy.end_ns[at]), int(busy.start_ns[at + 1]), int(busy.end_ns[-1])
    before_ns = total_ns(Intervals(busy.start_ns[: at + 1], busy.end_ns[: at + 1]))
    worked_ns = total_ns(busy)
    is_large = end - begin >= _LARGE * (last - int(busy.start_ns[0]))
    if not is_large or before_ns > _HARDLY * worked_ns or not _waits(facts, begin, end):
        return None
    return LeadingWait(end - begin, last - end, worked_ns - before_ns)


def _waits(facts: Facts, begin_ns: int, end_ns: int) -> bool:
    episodes = facts.episodes
    held = is_among(episodes.lane, facts.training_threads) & episodes.blocking
    waits = union(episodes.start_ns[held], episodes.end_ns[held])
    gap = union(np.array([begin_ns]), np.array([end_ns]))
    return total_ns(intersect(waits, gap)) >= _WHOLE * (end_ns - begin_ns)
