"""What a host runs into that no longer waits: CUDA's queue of launches, which is never longer than 1,024.

A launch that finds it full returns once an older one has begun. The replay has that limit, so that it says
what is won: a wait that moves from a read to a launch wins nothing. In the replay no removal loses: the fewer
waits, the earlier each launch.
"""

from __future__ import annotations

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.facts import Facts
from tbprof.rules.sync.words import QueueWait

_HARDLY = 0.05
"""The share of what launches wait there."""


def queue_wait(facts: Facts, site: SiteMembers) -> QueueWait | None:
    """How much longer launches wait for a full queue once a site no longer waits; None where they do not, or
    no replay tells that.
    """
    gone = site.members[facts.can_be_won[site.members]]
    if not len(gone) or not facts.is_replayable:
        return None
    steps = len(facts.steps.names[facts.replay.replayed_steps])
    waits_ns = facts.replay.queue_wait_ns(gone)
    if not waits_ns // steps:
        return None
    won_ns = facts.replay.saving_ns(gone) * steps // max(len(facts.steps), 1)
    return QueueWait(waits_ns // steps, queue_takes_all=won_ns <= _HARDLY * waits_ns)
