"""What removing waits can win: floor, estimate and ceiling.

The ceiling is the smaller of the waits on the training threads and the time that a host which
comes earlier could fill (`fillable`): a wait is not a cost. It is taken apart for each stretch between two
waits that stay and let the device run dry, as frees of memory do. At their return the host is ahead of what
was recorded by no more than the device is, so that nothing it had gained besides helps any later.
Waits of threads that make the batches count with what the training may have stood for them.
The floor is what the device is seen to stay dry after the waits. The estimate replays the
window without them; where the replay does not reproduce the window there is none.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.intervals import overlap_ns
from tbprof.analysis.facts import Facts
from tbprof.model import Removal, Saving
from tbprof.trace.columns.arrays import Int64s, is_among

REPLAYED: tuple[Removal, ...] = ("drop", "defer")
"""What a replay can tell: the wait goes and nothing comes in its place."""

_FIRST_NS, _LAST_NS = -(2**62), 2**62
"""Before and after all instants (ns since 1970), and so that a difference to one of those fits int64."""


def saving_of(facts: Facts, chosen: Int64s, removal: Removal) -> Saving:
    """The three figures for the episodes at these positions: floor <= estimate <= ceiling.

    The estimate is clamped to the ceiling, and then the floor to the estimate.
    """
    won = chosen[facts.can_be_won[chosen]]
    ceiling = min(_within_stretches_ns(facts, won) + _feeding_ns(facts, chosen), facts.fillable_ns)
    floor = min(int(facts.starve_ns[won].sum()), ceiling)
    is_told = facts.is_replayable and (len(won) > 0 or ceiling == 0)
    if removal not in REPLAYED or not is_told:
        return Saving(floor_ns=floor, estimate_ns=None, ceiling_ns=ceiling)
    estimate = min(facts.replay.saving_ns(won), ceiling) if ceiling else 0
    return Saving(floor_ns=min(floor, estimate), estimate_ns=estimate, ceiling_ns=ceiling)


def _within_stretches_ns(facts: Facts, won: Int64s) -> int:
    """Of each stretch, the waits that begin in it or what can be filled from the first of them on.

    In the first stretch all that can be filled counts: steps before the window win by the same change.
    """
    if len(won) == 0:
        return 0
    waits, episodes = facts.replay.waits, facts.episodes
    ends = np.sort(waits.end_ns[waits.drains & ~is_among(waits.episode, won)], kind="stable")
    won = won[np.argsort(episodes.start_ns[won], kind="stable")]
    stretch = np.searchsorted(ends, episodes.start_ns[won], side="right")
    first = np.flatnonzero(np.diff(stretch, prepend=-1))
    waited = np.add.reduceat(episodes.wait_ns[won], first)
    since = np.where(stretch[first] == 0, _FIRST_NS, episodes.start_ns[won[first]])
    until = np.append(ends, _LAST_NS)[stretch[first]]
    return int(np.minimum(waited, overlap_ns(facts.fillable, since, until)).sum())


def _feeding_ns(facts: Facts, chosen: Int64s) -> int:
    feeding = chosen[facts.feeds_training[chosen]]
    waits_ns = int(facts.episodes.wait_ns[feeding].sum())
    return min(waits_ns, facts.silent_ns) if waits_ns else 0
