"""Every launch waits for its kernel.

What
    Launches return only when what they launched has ended. That is how CUDA_LAUNCH_BLOCKING=1, or
    HIP_LAUNCH_BLOCKING=1, makes them, and some debuggers.

Why
    Host and device never work at once: a step takes the time of both together. It is meant for
    finding the op that crashed, and is easily left in a shell's profile or a job's script.

Example
    before:
        os.environ["CUDA_LAUNCH_BLOCKING"] = "1"
    after:
        if os.environ.get("DEBUG_CRASH") == "1":
            os.environ["CUDA_LAUNCH_BLOCKING"] = "1"

Action
    Take the blocking launches out of the environment.

Fix
    Take the variable out of the environment, and record again.
    caveat: an error on the device is then reported by a later line than the one that made it.

Silent
    Not reported for fewer than 50 launches, or if fewer than 90 % of them waited for their kernels;
    launches whose kernel starts earlier than the launch (clock error) are not counted. The other sync rules
    are not reported beside it: the waits of the window are not the program's own.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.model import Finding, Saving
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.base.severity import severity_of
from tbprof.rules.sync.launches import blocking_launches
from tbprof.rules.sync.words import BlockingLaunches, LaunchesLookedAt

_CODE = "SYN11"

BLOCKING_SHARE = 0.9
"""In public traces at most 8 % of the launches return after their kernels."""

LEAST_LAUNCHES = 50
"""Fewer may all be short kernels of a slow host."""


def find(facts: Facts) -> Iterator[Finding]:
    """What can be won is at most the time in those launches, and the empty idle."""
    launches, of_all = facts.once(blocking_launches)
    count = len(launches.rows)
    if of_all < LEAST_LAUNCHES or count < BLOCKING_SHARE * of_all:
        return
    inside_ns = int((launches.end_ns - launches.start_ns).sum())
    saving = Saving(floor_ns=0, estimate_ns=None, ceiling_ns=min(inside_ns, facts.fillable_ns))
    yield window_finding(
        _CODE,
        place="",
        severity=severity_of(facts, saving),
        count=count,
        removal="drop",
        saving=saving,
        confidence="high",
        evidence=row_evidence(facts, "launch", launches.rows),
        figures=BlockingLaunches(count / of_all),
    )


def _looked_at(facts: Facts) -> LaunchesLookedAt | None:
    launches, of_all = facts.once(blocking_launches)
    return None if of_all < LEAST_LAUNCHES else LaunchesLookedAt(len(launches.rows) / of_all, of_all)


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("waits",),
    find=find,
    passing=_looked_at,
    needs=(GPU_WORK,),
    distorts_family=True,
)
