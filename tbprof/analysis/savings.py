"""What removing waits can win: floor, estimate and ceiling.

The ceiling is the smaller of the waits on the training lanes and the time that a host which
comes earlier could fill (`fillable`): a wait is not a cost.
Waits of threads that make the batches count with what the training may have stood for them.
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
    ceiling = min(int(facts.episodes.wait_ns[won].sum()) + _feeding_ns(facts, chosen), facts.fillable_ns)
    floor = min(int(facts.starved_ns[won].sum()), ceiling)
    is_told = facts.replay.is_consistent and (len(won) > 0 or ceiling == 0)
    if removal not in REPLAYED or not is_told:
        return Saving(floor_ns=floor, estimate_ns=None, ceiling_ns=ceiling)
    estimate = min(facts.replay.saving_ns(won), ceiling) if ceiling else 0
    return Saving(floor_ns=min(floor, estimate), estimate_ns=estimate, ceiling_ns=ceiling)


def _feeding_ns(facts: Facts, chosen: Int64s) -> int:
    feeding = chosen[facts.feeds_training[chosen]]
    waits_ns = int(facts.episodes.wait_ns[feeding].sum())
    return min(waits_ns, facts.silent_ns) if waits_ns else 0
