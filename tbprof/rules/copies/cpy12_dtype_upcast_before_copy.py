"""A tensor is cast to a wider type before it is copied.

What
    The host turns bytes into floats, or floats into doubles, and copies the result: two, four or eight
    times the bytes of what it was made from.

Why
    The bus is the narrow place, and the cast takes the host's time as well. The device casts the same
    tensor in a few microseconds.

Example
    before:
        images = images.float().to(device, non_blocking=True)
        images = images / 255
    after:
        images = images.to(device, non_blocking=True)
        images = images.float() / 255

Action
    Copy the narrow type, and cast it on the GPU.

Fix
    Copy the narrow tensor and cast it on the device.
    caveat: transforms that need floats (normalizing, resizing with antialias) move to the device with
    it, or stay before the copy.

Silent
    Where the copy's time is hidden, or what the narrow type would spare is under 1 % of the steps; for
    casts in the loader's workers, which are not recorded; and without recorded shapes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.model import MEDIUM_SHARE, Finding
from tbprof.rules.base.findings import transfer_finding
from tbprof.rules.base.passing import UPLOADS
from tbprof.rules.base.rule import Need, Rule
from tbprof.rules.copies.search.op_inputs import records_shapes
from tbprof.rules.copies.search.widened_uploads import find_widened_uploads

_CODE = "CPY12"


def find(facts: Facts) -> Iterator[Finding]:
    steps_ns = facts.steps.total_ns
    for index, site in facts.indexed_sites:
        if site.direction != "HtoD":
            continue
        widened = find_widened_uploads(facts, site)
        spared = np.array(widened.spared)
        spared_ns = int((facts.transfers.exposed_ns[widened.episodes] * spared).sum())
        if spared_ns >= max(MEDIUM_SHARE * steps_ns, 1):
            sizes = facts.episodes.bytes[widened.episodes]
            numbers = {
                "copies": len(sizes),
                "bytes": int(sizes.sum()),
                "spared_bytes": int((sizes * spared).sum()),
            }
            yield transfer_finding(facts, index, rule=_CODE, ceiling_ns=spared_ns, numbers=numbers)


RULE = Rule(
    code=_CODE,
    needs=(Need("shapes", lambda facts: records_shapes(facts.trace)),),
    find=find,
    passing=UPLOADS,
    kind="upload",
)
