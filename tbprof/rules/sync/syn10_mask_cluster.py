"""Several waits hide one another: fix them together.

What
    Reads, synchronizes or uploads of the same steps of which each wins little alone, and which win 1.3 times
    the sum of that, or more, when all of them go.

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
    Where the replay does not reproduce the window, for what is less than 1 % of the steps, and for
    waits that need something in their place (SYN02, SYN03).
    It adds nothing to the fix plan where that holds its sites one by one.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.rules.base.findings import waits_finding
from tbprof.rules.base.passing import SYNC_POINTS
from tbprof.rules.base.reads import can_be_deferred, uploads_data
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.sync.masking_waits import find_mask_cluster

_CODE = "SYN10"


def find(facts: Facts) -> Iterator[Finding]:
    """At most one; its sites stand in the order in which removing them pays most."""
    candidates = [
        index for index, site in facts.indexed_sites if can_be_deferred(site) or uploads_data(facts, site)
    ]
    cluster = find_mask_cluster(facts, candidates)
    if cluster.sites:
        numbers = {"joint_ns": cluster.joint_ns, "singles_ns": cluster.singles_ns}
        yield waits_finding(
            facts, cluster.sites, cluster.members, rule=_CODE, removal="defer", numbers=numbers
        )


RULE = Rule(code=_CODE, find=find, passing=SYNC_POINTS, needs=(GPU_WORK,), is_bundle=True)
