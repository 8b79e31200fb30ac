"""The same bytes seem to be copied to the device in each step.

What
    Outside of the batch, the same code uploads a tensor of the same size in nearly every step: a mean,
    a mask, a table of weights that never changes.

Why
    The copy, and the synchronise behind it, are paid in each step for something that the device could
    keep. From pageable memory it also costs the host its lead.

Example
    before:
        def forward(self, x):
            mean = torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1).to(x.device)
            return self.model(x - mean)
    after:
        def __init__(self):
            super().__init__()
            mean = torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1)
            self.register_buffer("mean", mean, persistent=False)

        def forward(self, x):
            return self.model(x - self.mean)

Fix
    Register it as a buffer of the module, which moves with `.to(device)`, or make it on the device once.
    caveat: the trace shows sizes and no contents; a mask of the same size can differ in each step.

Silent
    Between a call of the data loader and the first kernel after it, where the batch is copied; for
    copies that don't block; in windows of fewer than three steps; and where another rule knows why a
    site uploads (CPY05).
    At most info where the device hardly ever runs dry.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.analysis.steady_uploads import find_steady_uploads, names_loader
from tbprof.model import Finding
from tbprof.rules.rule import Need, Rule, waits_finding

__all__ = ["RULE"]

_CODE = "CPY03"

ENOUGH_STEPS = 3
"""With fewer, equal sizes are no habit."""


def find(facts: Facts) -> Iterator[Finding]:
    for index, site in enumerate(facts.sites):
        if site.direction != "HtoD" or not site.blocking:
            continue
        members = find_steady_uploads(facts, site.members)
        if len(members):
            sizes = facts.episodes.bytes[members]
            numbers = {"bytes": int(sizes.sum()), "copy_bytes": int(sizes[0])}
            finding = waits_finding(
                facts, (index,), members, rule=_CODE, removal="rewrite", numbers=numbers
            )
            yield dataclasses.replace(finding, confidence="low")


RULE = Rule(
    code=_CODE,
    name="repeated-constant-upload",
    needs=(
        Need("three steps", lambda facts: facts.steps.recorded and len(facts.steps) >= ENOUGH_STEPS),
        Need("calls of a data loader", names_loader),
    ),
    find=find,
    doc=__doc__,
)
