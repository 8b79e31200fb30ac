"""Several waits hide one another: fix them together.

What
    Several waits in the same steps. Removing one saves little, because the next one then waits; removing all
    saves at least 1.3 times the sum.

Why
    While one of them is left the host still stops there in every step, and waits for what the
    others no longer wait for. Fixing them one at a time shows the step stay as long as it was,
    and gives up before the last.

Example
    before:
        running += loss.item()
        correct += (output.argmax(1) == labels).sum().cpu()
    after:
        running += loss.detach()
        correct += (output.argmax(1) == labels).sum()
        if step % 50 == 0:
            log(running.item(), correct.item())

Action
    Fix these waits together.

Fix
    Fix all sites of this finding, in the order of the fix plan, before you measure again; then
    compare the length of the steps, and not the waits of single lines.
    caveat: what they win together is an estimate of the replay.

Silent
    Not reported if the replay does not reproduce the window, for less than 1 % of the steps, or for waits
    that need something else instead (SYN02, SYN03). If the fix plan already lists its lines, it gets no row
    of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.savings import fix_plan, saving_of
from tbprof.model import Finding, SiteIndex
from tbprof.records import dataclass
from tbprof.rules.base.evidence import can_be_deferred, uploads_data
from tbprof.rules.base.findings import waits_finding
from tbprof.rules.base.passing import sync_points
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.sync.words import Masked
from tbprof.trace.columns.arrays import Int64s

_CODE = "SYN10"


def find(facts: Facts) -> Iterator[Finding]:
    """At most one; its sites stand in the order in which removing them pays most."""
    candidates = [
        index for index, site in facts.indexed_sites if can_be_deferred(site) or uploads_data(facts, site)
    ]
    cluster = find_mask_cluster(facts, candidates)
    if cluster.sites:
        figures = Masked(cluster.joint_ns, cluster.singles_ns, steps=len(facts.steps))
        yield waits_finding(
            facts, cluster.sites, cluster.members, rule=_CODE, removal="defer", figures=figures
        )


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("waits",),
    find=find,
    passing=sync_points,
    needs=(GPU_WORK,),
    is_bundle=True,
)


MASK_FACTOR = 1.3
"""Together they must win this many times the sum of what each wins alone."""

LEAST_SHARE = 0.01
"""What is won beyond that sum, as a part of the steps: less is the replay's own noise."""

MAX_SITES = 6
"""Sites that are weighed, those of the longest waits; each more costs some replays."""

_PART = 0.1
"""A site that hides less than this part of the whole takes no part in it."""


@dataclass(frozen=True, slots=True, eq=False)
class MaskCluster:
    sites: tuple[SiteIndex, ...]
    """In the order in which removing them pays most; none where no waits hide one another."""
    members: Int64s
    joint_ns: int
    singles_ns: int
    """The sum of what each site wins alone."""


NO_CLUSTER = MaskCluster((), np.empty(0, np.int64), 0, 0)


def find_mask_cluster(facts: Facts, candidates: Sequence[SiteIndex]) -> MaskCluster:
    """The sites among some that hide one another, if there are any and the replay can tell.

    Args:
        facts: Of the window.
        candidates: Indices of sites whose waits can go without anything in their place.
    """
    sites = _longest(facts, candidates)
    least_ns = LEAST_SHARE * facts.steps.total_ns
    if len(sites) < 2 or facts.fillable_ns < least_ns or not facts.is_replayable:
        return NO_CLUSTER
    single = {site: _won_ns(facts, [site]) for site in sites}
    joint_ns = _won_ns(facts, sites)
    hidden_ns = joint_ns - sum(single.values())
    if hidden_ns < least_ns:
        return NO_CLUSTER
    without = {site: _won_ns(facts, [other for other in sites if other != site]) for site in sites}
    taking_part = [s for s in sites if joint_ns - without[s] - single[s] >= _PART * hidden_ns]
    plan = fix_plan(facts, [facts.sites[site].members for site in taking_part])
    cluster = MaskCluster(
        sites=tuple(taking_part[row.candidate] for row in plan),
        members=_members(facts, taking_part),
        joint_ns=max((row.total_ns for row in plan), default=0),
        singles_ns=sum(single[site] for site in taking_part),
    )
    is_far_more = cluster.joint_ns >= MASK_FACTOR * cluster.singles_ns
    return cluster if is_far_more and cluster.joint_ns - cluster.singles_ns >= least_ns else NO_CLUSTER


def _longest(facts: Facts, candidates: Sequence[SiteIndex]) -> list[SiteIndex]:
    """The sites with the longest waits of the training, longest first."""
    waits = {}
    for index in candidates:
        members = facts.sites[index].members
        waits[index] = int(facts.episodes.wait_ns[members[facts.can_be_won[members]]].sum())
    held_up = [index for index, wait_ns in waits.items() if wait_ns > 0]
    return sorted(held_up, key=lambda index: -waits[index])[:MAX_SITES]


def _won_ns(facts: Facts, sites: Sequence[SiteIndex]) -> int:
    estimate = saving_of(facts, _members(facts, sites), "defer").estimate_ns
    return 0 if estimate is None else estimate


def _members(facts: Facts, sites: Sequence[SiteIndex]) -> Int64s:
    nothing = np.empty(0, np.int64)
    return np.sort(np.concatenate([nothing, *(facts.sites[site].members for site in sites)]))
