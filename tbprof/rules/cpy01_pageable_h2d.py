"""A batch is copied to the device from pageable memory.

What
    `x.to(device)` of a tensor in ordinary host memory. The driver copies it piece by piece through
    a buffer of its own, and the host stands still for most of that time.

Why
    The host can't launch anything meanwhile, and the copy runs at a fraction of the speed of the
    bus. From pinned memory the same call returns at once and the copy runs beside the kernels.

Example
    before:
        loader = DataLoader(data, batch_size=128, num_workers=8)
        for images, labels in loader:
            images = images.to(device)
    after:
        loader = DataLoader(data, batch_size=128, num_workers=8, pin_memory=True)
        for images, labels in loader:
            images = images.to(device, non_blocking=True)

Fix
    Let the DataLoader pin its batches, and copy them with `non_blocking=True`.
    caveat: don't write `x.pin_memory().to(device)` in the loop: pinning there costs more than it
    wins.

Silent
    For copies of 64 KB and less, which the driver takes at once; where the memory kind is not
    recorded (ROCm); and in the first step alone, where a model is moved.
    At most info where the device hardly ever runs dry.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.sites import SiteMembers
from tbprof.line_rules import STAGED_BYTES
from tbprof.model import Finding
from tbprof.rules.rule import Rule, site_finding

__all__ = ["RULE"]

_CODE = "CPY01"


def find(facts: Facts) -> Iterator[Finding]:
    for index, site in enumerate(facts.sites):
        sizes = facts.episodes.bytes[site.members]
        if _uploads(site) and int(sizes.max()) > STAGED_BYTES and not _only_first(facts, site):
            numbers = {
                "bytes": int(sizes.sum()),
                "call_ns": int(facts.episodes.copy_ns[site.members].sum()),
            }
            yield site_finding(facts, index, rule=_CODE, removal="rewrite", numbers=numbers)


def _uploads(site: SiteMembers) -> bool:
    return site.direction == "HtoD" and site.memory == "pageable"


def _only_first(facts: Facts, site: SiteMembers) -> bool:
    """Whether all of it happens in the first of several steps: a model being moved."""
    several = len(facts.steps) > 1
    return several and bool(np.all(facts.episodes.step[site.members] <= 0))


RULE = Rule(code=_CODE, name="pageable-h2d", needs=(), find=find, doc=__doc__)
