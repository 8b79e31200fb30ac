"""The host blocks on a collective.

What
    A call of the training thread blocks until the device has done what was asked of it, and for most of that
    time the device communicates and computes nothing.

Why
    The next launch comes only after the collective, so that nothing can run beside it, and how long the host
    stands there another rank decides. Reading a value after an all_reduce, `work.wait()` with a backend that
    blocks, or a barrier in the step does that.

Example
    before:
        dist.all_reduce(loss)
        total += loss.item()
    after:
        dist.all_reduce(loss, async_op=True)
        total += loss.detach()

Action
    Read what the ranks exchange later, so that the host goes on.

Fix
    Launch the next work before the read, read the value some steps later or every n-th step, and leave
    barriers out of the step: collectives keep their order by themselves.
    caveat: a value that decides what the host does next has to be read before that.

Silent
    Not reported if exposed communication explains less than half of the waits of a line, or less than 1 %
    of the steps. The sync rules report the wait; this rule says what it waits for. Info for a wait after the
    last launch of the window, which holds up nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.model import MEDIUM_SHARE, Finding, Saving, SiteIndex
from tbprof.rules.base.evidence import wait_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.passing import collectives
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.base.severity import are_benign, severity_of
from tbprof.rules.communication.words import AwaitedOnHost

_CODE = "DST05"
_MOSTLY = 0.5


def find(facts: Facts) -> Iterator[Finding]:
    for index, site in enumerate(facts.sites):
        members = site.members[facts.can_be_won[site.members]]
        communicating_ns = int(facts.wait_for_communication_ns[members].sum())
        wait_ns = int(facts.episodes.wait_ns[members].sum())
        is_much = communicating_ns >= MEDIUM_SHARE * facts.steps.total_ns > 0
        if is_much and communicating_ns >= _MOSTLY * wait_ns:
            yield _finding(facts, SiteIndex(index), members, communicating_ns, wait_ns)


def _finding(
    facts: Facts, index: SiteIndex, members: np.ndarray[tuple[int], np.dtype[np.int64]], ns: int, wait_ns: int
) -> Finding:
    site = facts.sites[index]
    saving = Saving(floor_ns=0, estimate_ns=None, ceiling_ns=min(ns, facts.fillable_ns))
    source = "" if site.source is None else f"{site.source.file}:{site.source.function}"
    return window_finding(
        _CODE,
        place=" ".join((source, *site.ops)),
        severity="info" if are_benign(facts, members) else severity_of(facts, saving),
        count=len(members),
        removal="rewrite",
        saving=saving,
        confidence="medium",
        evidence=wait_evidence(facts, members),
        figures=AwaitedOnHost(ns // len(facts.steps), share_of_wait=ns / wait_ns),
        sites=(index,),
    )


RULE = Rule(
    code=_CODE, effect="earlier_host", find=find, passing=collectives, is_timed=True, needs=(GPU_WORK,)
)
