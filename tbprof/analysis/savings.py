"""What removing waits can win: floor, estimate and ceiling.

The ceiling is the smaller of the waits on the training lanes and the empty idle of the
busiest device: a wait is not a cost, and only a device that has run dry can be kept busier. (A
host that comes earlier can also hide transfers that were exposed; a wait's ceiling leaves that
out, as a transfer is the matter of the findings about it.)
The floor is what the device is seen to stay dry after the waits. The estimate replays the
window without them; where the replay does not reproduce the window there is none. On four real
traces the ceiling agreed with the replay where the plain wait was wrong on three (321 ms of
waits, of which at most 0.6 ms could be won).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.fix_plan import PlannedFix
from tbprof.model import Removal, Saving
from tbprof.trace.columns import Int64s

__all__ = ["REPLAYED", "saving_of", "window_saving"]

REPLAYED: tuple[Removal, ...] = ("drop", "defer")
"""What a replay can tell: the wait goes and nothing comes in its place."""


def saving_of(facts: Facts, chosen: Int64s, removal: Removal) -> Saving:
    """The three figures for the episodes at these positions: floor <= estimate <= ceiling.

    The estimate is clamped to the ceiling, and then the floor to the estimate.
    """
    won = chosen[facts.can_be_won[chosen]]
    ceiling = min(int(facts.episodes.wait_ns[won].sum()), facts.empty_idle_ns)
    floor = min(int(facts.starved_ns[won].sum()), ceiling)
    if removal not in REPLAYED or not facts.replay.is_consistent:
        return Saving(floor_ns=floor, estimate_ns=None, ceiling_ns=ceiling)
    estimate = min(facts.replay.saving_ns(won), ceiling) if ceiling else 0
    return Saving(floor_ns=min(floor, estimate), estimate_ns=estimate, ceiling_ns=ceiling)


def window_saving(facts: Facts, plan: Sequence[PlannedFix], planned: Int64s) -> Saving:
    """The three figures of the window: the plan's, under the ceiling of all its waits.

    Args:
        facts: Of the window.
        plan: Its fixes in order, or none; then there is no estimate.
        planned: Positions of the episodes that the plan removes.
    """
    everything = saving_of(facts, np.flatnonzero(facts.can_be_won), "needed")
    if not plan:
        return everything
    ceiling = everything.ceiling_ns
    estimate = min(plan[-1].total_ns, ceiling)
    floor = saving_of(facts, planned, "needed").floor_ns
    return Saving(floor_ns=min(floor, estimate), estimate_ns=estimate, ceiling_ns=ceiling)
