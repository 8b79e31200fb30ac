"""One line reads numbers from the device in a loop.

What
    The same site reads a scalar, or asks for a truth value, three times or more in one step:
    once for each loss, parameter, class or sample.

Why
    Each round trip waits until the device has done all that was queued, and leaves it dry until new
    work arrives. A step of many of them runs host and device in turns. One trip brings all the
    numbers at the price of one.

Example
    before:
        for name, loss in losses.items():
            totals[name] += loss.item()
    after:
        values = torch.stack(list(losses.values())).tolist()
        for name, value in zip(losses, values):
            totals[name] += value

Action
    Read these numbers at once instead of one by one.

Fix
    Stack the scalars and read them at once; where only their sum or a test of all of them is
    needed, make that on the device, and read it rarely.
    caveat: all scalars must be on one device, and of one type.

Silent
    Not reported for fewer than three reads of a line in every step, for reads that know their own shape
    (SYN03), for tensors (SYN04), or without recorded steps. Without recorded stacks, several lines that do
    the same may count as one. Only `info` if the GPU rarely runs out of work.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.line_rules import LOOP_READS
from tbprof.model import Finding, Removal
from tbprof.rules.base.evidence import can_be_deferred, reads_number
from tbprof.rules.base.findings import site_finding
from tbprof.rules.base.passing import sync_points
from tbprof.rules.base.rule import STEPS, Rule
from tbprof.rules.sync.words import LoopReads
from tbprof.trace.columns.arrays import NONE

_CODE = "SYN05"


def find(facts: Facts) -> Iterator[Finding]:
    """One finding a site, with the largest count of one step."""
    for index, site in facts.indexed_sites:
        step = facts.episodes.step[site.members]
        per_step = int(np.bincount(step[step != NONE], minlength=1).max())
        if reads_number(facts, site) and per_step >= LOOP_READS:
            removal: Removal = "defer" if can_be_deferred(site) else "rewrite"
            yield site_finding(facts, index, rule=_CODE, removal=removal, figures=LoopReads(per_step))


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("waits",),
    find=find,
    passing=sync_points,
    kind="scalar_read",
    needs=(STEPS,),
    before=("SYN01", "SYN02"),
)
