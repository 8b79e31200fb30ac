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
    Not reported for fewer than three copies of a size with or without communication beside them, if they
    take less than 10 % longer, or if all of that is less than 1 % of the steps.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.rules.base.passing import collectives
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.communication.slowed_rows import find_slowed
from tbprof.rules.communication.words import SlowedCopies
from tbprof.trace.columns.columns import Category

_CODE = "DST07"


def find(facts: Facts) -> Iterator[Finding]:
    trace, work = facts.trace, facts.work
    is_copy = trace.slices.category[work.rows] == Category.MEMCPY
    at = np.flatnonzero(is_copy & ~facts.parts.is_communication)
    alike = np.stack([trace.slices.name[work.rows[at]], trace.bytes.at(work.rows[at])], axis=1)
    yield from find_slowed(facts, _CODE, ("copy", SlowedCopies), at, alike, at)


RULE = Rule(code=_CODE, find=find, passing=collectives, needs=(GPU_WORK,), is_of_device=True)
