"""Copies between host and device take longer beside communication.

What
    Copies of the same size and direction take longer while a collective runs than they do without one.

Why
    Where ranks are joined over PCIe, or a network card sits behind the same switch as the device, copies
    and messages share the link. Whichever is awaited first pays for the other.

Example
    before:
        for batch in loader:
            images = batch.to(device, non_blocking=True)
            loss_of(model(images)).backward()
    after:
        images = next(batches).to(device, non_blocking=True)
        for batch in batches:
            following = batch.to(device, non_blocking=True)
            loss = loss_of(model(images))
            loss.backward()
            images = following

Action
    Copy while the device computes and no collective runs.

Fix
    Copy the next batch during the forward, before the first gradients are sent; send less between host and
    device (uint8 images, results kept on the device). Check that NCCL uses NVLink or its own network card:
    `NCCL_DEBUG=INFO` says which way each ring takes.
    caveat: a copy that comes before its time needs the memory of one more batch.

Silent
    With fewer than three copies of a size on either side, where they take less than 10 % longer, and where
    all of that is less than 1 % of the steps.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.model import MEDIUM_SHARE, Finding, Saving
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.passing import COLLECTIVES
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.base.severity import severity_of_transfer
from tbprof.rules.communication.slowed_rows import LEAST_SLOWER, Slowed, slowed_rows
from tbprof.trace.columns.columns import Category

__all__ = ["RULE"]

_CODE = "DST07"


def find(facts: Facts) -> Iterator[Finding]:
    trace, work = facts.trace, facts.work
    is_copy = trace.slices.category[work.rows] == Category.MEMCPY
    at = np.flatnonzero(is_copy & ~facts.parts.is_communication)
    alike = np.stack([trace.slices.name[work.rows[at]], trace.bytes.at(work.rows[at])], axis=1)
    slowed = slowed_rows(facts, at, np.unique(alike, axis=0, return_inverse=True)[1].reshape(-1))
    is_much = slowed.excess_ns >= MEDIUM_SHARE * facts.steps.total_ns > 0
    if is_much and slowed.share >= LEAST_SLOWER:
        yield _finding(facts, slowed)


def _finding(facts: Facts, slowed: Slowed) -> Finding:
    saving = Saving(floor_ns=0, estimate_ns=None, ceiling_ns=slowed.excess_ns)
    return window_finding(
        _CODE,
        place="",
        severity=severity_of_transfer(facts, saving),
        count=len(slowed.at),
        removal="rewrite",
        saving=saving,
        confidence="medium",
        evidence=row_evidence(facts, "copy", facts.work.rows[slowed.at]),
        numbers={
            "copies_per_step": round(len(slowed.at) / len(facts.steps), 1),
            "longer_per_step_ns": slowed.excess_ns // len(facts.steps),
            "longer_share": slowed.share,
        },
    )


RULE = Rule(code=_CODE, find=find, passing=COLLECTIVES, needs=(GPU_WORK,))
