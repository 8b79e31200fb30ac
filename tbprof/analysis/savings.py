"""What removing waits can win: floor, estimate and ceiling.

The ceiling is the smaller of the waits on the training lanes and the time that a host which
comes earlier could fill (`fillable`): a wait is not a cost.
The floor is what the device is seen to stay dry after the waits. The estimate replays the
window without them; where the replay does not reproduce the window there is none.
"""

from __future__ import annotations

from tbprof.analysis.facts import Facts
from tbprof.model import Removal, Saving
from tbprof.trace.columns import Int64s

__all__ = ["REPLAYED", "saving_of"]

REPLAYED: tuple[Removal, ...] = ("drop", "defer")
"""What a replay can tell: the wait goes and nothing comes in its place."""


def saving_of(facts: Facts, chosen: Int64s, removal: Removal) -> Saving:
    """The three figures for the episodes at these positions: floor <= estimate <= ceiling.

    The estimate is clamped to the ceiling, and then the floor to the estimate.
    """
    won = chosen[facts.can_be_won[chosen]]
    ceiling = min(int(facts.episodes.wait_ns[won].sum()), facts.fillable_ns)
    floor = min(int(facts.starved_ns[won].sum()), ceiling)
    if removal not in REPLAYED or not facts.replay.is_consistent:
        return Saving(floor_ns=floor, estimate_ns=None, ceiling_ns=ceiling)
    estimate = min(facts.replay.saving_ns(won), ceiling) if ceiling else 0
    return Saving(floor_ns=min(floor, estimate), estimate_ns=estimate, ceiling_ns=ceiling)
