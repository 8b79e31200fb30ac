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
    Up to 1 % of the steps, in the first step, and without recorded steps. It is never more than
    info: nothing is known to be won.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.arrays.intervals import total_ns
from tbprof.analysis.facts import Facts
from tbprof.model import Finding, Numbers, Saving
from tbprof.rules.base.evidence import idle_evidence, wait_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.rule import GPU_WORK, STEPS, Passing, Rule
from tbprof.rules.notes.sync import syn13
from tbprof.rules.sync.unexplained_time import find_unexplained

_CODE = "SYN13"

UNKNOWN_SHARE = 0.01
"""Part of the steps; less would win nothing that matters, whatever it is."""


def find(facts: Facts) -> Iterator[Finding]:
    """It names no site, since none is known to be at fault."""
    unexplained = find_unexplained(facts)
    if max(unexplained.queued_share, unexplained.wait_share) <= UNKNOWN_SHARE:
        return
    numbers: Numbers = {
        "queued_ns": total_ns(unexplained.queued),
        "queued_share": unexplained.queued_share,
        "wait_ns": unexplained.wait_ns,
        "wait_share": unexplained.wait_share,
    }
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
        numbers=numbers,
    )


def _looked_at(facts: Facts) -> Numbers | None:
    """The first step is left out: what was launched before it is not recorded."""
    found = find_unexplained(facts)
    if not found.steps_ns:
        return None
    return {"queued_share": found.queued_share, "wait_share": found.wait_share}


RULE = Rule(
    code=_CODE,
    find=find,
    passing=Passing(_looked_at, syn13),
    is_timed=True,
    needs=(GPU_WORK, STEPS),
)
