"""The loss or a metric is read at the end of each step.

What
    The last sync point of a step reads one number, and the host waits there for work of the
    device that it had queued: typically `loss.item()` after `optimizer.step()`.

Why
    While the device is the slower one this read is nearly free: it only paces the host. It costs the
    bubble after it, since the next step starts with an empty queue. And it takes over the waits
    of other lines: once those are fixed, this one grows although the step gets shorter.

Example
    before:
        optimizer.step()
        progress.set_postfix(loss=loss.item())
    after:
        optimizer.step()
        if step % 50 == 0:
            progress.set_postfix(loss=loss.item())

Action
    Read the loss or metric every 50 steps.

Fix
    Read it every so many steps, or one step late: copy it into a pinned buffer without blocking,
    record an event, and look at the buffer in the next step.
    caveat: judge this line last, by what the fix plan adds for it, and not by its wait.

Silent
    Not reported for a read that is not the last of its step or occurs more than once in it (SYN05), for
    waits of which recorded work explains less than 80 %, or without recorded steps. Only `info` if it is
    the only wait of its step and no cost of at least 1 % of it is seen.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.rules.base.evidence import reads_scalar
from tbprof.rules.base.findings import site_finding
from tbprof.rules.base.passing import sync_points
from tbprof.rules.base.rule import STEPS, Rule
from tbprof.rules.sync.full_queue import queue_wait
from tbprof.rules.sync.words import EndOfStepReads

_CODE = "SYN07"

EXPLAINED_SHARE = 0.8
"""A read that drains the queue is explained by what was in it, but for the calls' own cost."""


def find(facts: Facts) -> Iterator[Finding]:
    for index, site in facts.indexed_sites:
        if reads_scalar(facts, site) and _ends_its_steps(facts, site) and _drains(facts, site):
            figures = EndOfStepReads(
                starve_ns=int(facts.starve_ns[site.members].sum()),
                queue=queue_wait(facts, site),
            )
            yield site_finding(facts, index, rule=_CODE, removal="defer", figures=figures)


def _ends_its_steps(facts: Facts, site: SiteMembers) -> bool:
    """Whether each of its episodes is the last wait of the training in a step of its own."""
    episodes, points = facts.episodes, np.flatnonzero(facts.can_be_won)
    last = {}
    for episode in points[np.argsort(episodes.start_ns[points], kind="stable")].tolist():
        last[int(episodes.step[episode])] = episode
    return set(site.members.tolist()) <= set(last.values())


def _drains(facts: Facts, site: SiteMembers) -> bool:
    wait_ns = int(facts.episodes.wait_ns[site.members].sum())
    return int(facts.awaited.explained_ns[site.members].sum()) >= EXPLAINED_SHARE * wait_ns


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("waits",),
    find=find,
    passing=sync_points,
    kind="scalar_read",
    needs=(STEPS,),
    before=("SYN01",),
)
