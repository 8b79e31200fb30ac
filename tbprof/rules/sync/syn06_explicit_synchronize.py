"""The program tells the host to wait for the device.

What
    `torch.cuda.synchronize()`, `stream.synchronize()` or `event.synchronize()` in a step of the
    training: a sync call that no op makes, and that had something to wait for.

Why
    Nothing in a step needs it: the device keeps the order of its work by itself. The host
    stops until all is done, and the next launch finds the device dry. Most of them were put there
    to measure time, and the measuring makes the step longer.

Example
    before:
        torch.cuda.synchronize()
        began = time.perf_counter()
        loss = model(batch)
        torch.cuda.synchronize()
        elapsed = time.perf_counter() - began
    after:
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        loss = model(batch)
        end.record()
        timings.append((start, end))

Action
    Remove this sync call.

Fix
    Remove it. To measure time record events, and read `start.elapsed_time(end)` some steps later;
    to order work of two streams let one wait for the other with `stream.wait_stream`. An event that
    guards a buffer is better looked at one step later.
    caveat: a pinned buffer that a copy is still filling must not be read before its event.

Silent
    Not reported for a sync call inside an op or after a copy, one that waits for nothing, the profiler's
    own, on threads that do not train, or without recorded steps. Only `info` if the GPU rarely runs out of
    work.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.facts import Facts
from tbprof.model import Finding, Removal
from tbprof.rules.base.findings import site_finding
from tbprof.rules.base.passing import sync_points
from tbprof.rules.base.rule import STEPS, Rule
from tbprof.rules.sync.words import Synchronizing

_CODE = "SYN06"


def find(facts: Facts) -> Iterator[Finding]:
    """One finding a site, with the name of its call."""
    for index, site in facts.indexed_sites:
        if _is_bare(facts, site) and facts.can_be_won[site.members].any() and _waits(facts, site):
            call = site.calls[0]
            # An event may mark a copy that somebody reads.
            removal: Removal = "defer" if "Event" in call else "drop"
            yield site_finding(facts, index, rule=_CODE, removal=removal, figures=Synchronizing(call))


def _is_bare(facts: Facts, site: SiteMembers) -> bool:
    return not site.ops and not facts.episodes.is_copy[site.members].any()


def _waits(facts: Facts, site: SiteMembers) -> bool:
    return bool((facts.awaited.explained_ns[site.members] > 0).any())


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("waits",),
    find=find,
    passing=sync_points,
    kind="synchronize",
    needs=(STEPS,),
)
