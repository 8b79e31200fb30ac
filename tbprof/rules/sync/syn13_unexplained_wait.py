"""Host and device wait for something that is not recorded.

What
    The host waits while nothing recorded runs, or the device is idle although work is queued for
    it, for longer than launches are apart. No line of the program is known to be the cause.

Why
    It may be another process on the same GPU, whose work is not in this trace; a wait for another
    rank or stream; work that libraries start without the runtime's calls; or records that were
    lost. Removing the program's own waits wins none of it.

Example
    before:
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as prof:
            train()
    after:
        config = torch._C._profiler._ExperimentalConfig(enable_cuda_sync_events=True)
        activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
        with profile(activities=activities, experimental_config=config) as prof:
            train()

Action
    Find out what else uses this GPU.

Fix
    Look at `nvidia-smi` for other processes on the device, and at the ranks that this one waits
    for; record with synchronization events, and once more on a GPU that nobody else uses.
    caveat: the cause is not known, and this is no more than where to look.

Silent
    Not reported for up to 1 % of the steps, in the first step, or without recorded steps. Always `info`:
    the possible saving is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import (
    NEVER,
    Intervals,
    complement,
    intersect,
    overlap_ns,
    total_ns,
    union,
)
from tbprof.model import Finding, Saving
from tbprof.records import dataclass
from tbprof.rules.base.evidence import idle_evidence, wait_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.rule import GPU_WORK, STEPS, Rule
from tbprof.rules.sync.words import HardlyUnexplained, Unexplained
from tbprof.trace.columns.arrays import Int64s

_CODE = "SYN13"

UNKNOWN_SHARE = 0.01
"""Part of the steps; less would win nothing that matters, whatever it is."""


def find(facts: Facts) -> Iterator[Finding]:
    """It names no site, since none is known to be at fault."""
    unexplained = find_unexplained(facts)
    if max(unexplained.queued_share, unexplained.wait_share) <= UNKNOWN_SHARE:
        return
    figures = Unexplained(
        queued_ns=total_ns(unexplained.queued),
        queued_share=unexplained.queued_share,
        wait_ns=unexplained.wait_ns,
        wait_share=unexplained.wait_share,
    )
    pieces = idle_evidence(facts, unexplained.queued)
    waits = wait_evidence(facts, unexplained.members)
    by_queue = unexplained.queued_share >= unexplained.wait_share
    yield window_finding(
        _CODE,
        place="",
        severity="info",
        count=len(unexplained.queued) + len(unexplained.members),
        removal="needed",
        saving=Saving(floor_ns=0, estimate_ns=None, ceiling_ns=0),
        confidence="low",
        evidence=(*pieces, *waits) if by_queue else (*waits, *pieces),
        figures=figures,
    )


def _looked_at(facts: Facts) -> HardlyUnexplained | None:
    """The first step is left out: what was launched before it is not recorded."""
    found = find_unexplained(facts)
    return HardlyUnexplained(found.queued_share, found.wait_share) if found.steps_ns else None


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("waits",),
    find=find,
    passing=_looked_at,
    is_timed=True,
    needs=(GPU_WORK, STEPS),
)


LAUNCH_SPACING_NS = 10_000
"""Queued work starts this soon after the work before it, or after its launch, when nothing is in
its way. Longer pieces take at most 0.2 % of the steps of public traces that are in order."""


@dataclass(frozen=True, slots=True, eq=False)
class UnexplainedWaits:
    steps_ns: int
    """Length of all steps but the first."""
    queued: Intervals
    """When the busiest device was idle with work queued, for longer than launches are apart."""
    members: Int64s
    """Episodes of the training with an unexplained wait."""
    wait_ns: int
    """Their net wait, less what recorded work explains; of several threads at most those steps."""

    @property
    def queued_share(self) -> float:
        """The share of the steps, 0 to 1."""
        return total_ns(self.queued) / max(self.steps_ns, 1)

    @property
    def wait_share(self) -> float:
        return self.wait_ns / max(self.steps_ns, 1)


def find_unexplained(facts: Facts) -> UnexplainedWaits:
    """Look at all steps but the first; with less than two steps there is nothing to look at."""
    later = union(facts.steps.start_ns[1:], facts.steps.end_ns[1:])
    # The host copies its own pageable memory before the device can take it: that has no other cause.
    episodes = facts.episodes
    staged_ns = overlap_ns(facts.causes.states["staging"], episodes.start_ns, episodes.end_ns)
    known_ns = np.maximum(facts.awaited.explained_ns, staged_ns)
    beyond = np.maximum(facts.net_wait_ns - known_ns, 0)
    members = np.flatnonzero(facts.can_be_won & (episodes.step > 0) & (beyond > 0))
    return UnexplainedWaits(
        steps_ns=total_ns(later),
        queued=_long_queued_idle(facts, later),
        members=members,
        wait_ns=min(int(beyond[members].sum()), total_ns(later)),
    )


def _long_queued_idle(facts: Facts, inside: Intervals) -> Intervals:
    main = facts.work.main_device
    if main is None or len(inside) == 0:
        return NEVER
    reach = int(inside.start_ns[0]), int(inside.end_ns[-1])
    idle = intersect(complement(facts.work.busy[main], *reach), inside)
    queued = intersect(idle, facts.work.queued[main])
    long = queued.end_ns - queued.start_ns > LAUNCH_SPACING_NS
    return Intervals(queued.start_ns[long], queued.end_ns[long])
