"""The same bytes are copied to the device in each step.

What
    The same code uploads the same little tensor in each step: a mean, a mask, a table of weights that
    never changes. The trainer hook proves it, for it compares what two steps upload; without it, the
    finding rests on the sizes being the same in nearly every step.

Why
    The copy, and the sync call after it, are paid in each step for something that the device could
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

Action
    Keep this tensor on the GPU.

Fix
    Register it as a buffer of the module, which moves with `.to(device)`, or make it on the device once.
    caveat: where the contents were not compared, only the sizes are known; a mask of the same size can
    differ in each step.

Silent
    Not reported if the contents were compared and differ. If they were not compared, copies between a call
    of the data loader and the first kernel after it are left out, because they upload the batch. Also not
    reported for copies that do not block, for windows of fewer than three steps, or if another rule knows
    why a line uploads (CPY05). Only `info` if the GPU rarely runs out of work.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.rules.base.findings import waits_finding
from tbprof.rules.base.passing import uploads
from tbprof.rules.base.rule import Need, Rule
from tbprof.rules.copies.steady_uploads import find_steady_uploads, names_loader
from tbprof.rules.copies.words import RepeatedUploads

_CODE = "CPY03"

ENOUGH_STEPS = 3
"""With fewer, equal sizes are no habit."""


def find(facts: Facts) -> Iterator[Finding]:
    for index, site in facts.indexed_sites:
        if site.direction != "HtoD" or not site.blocking:
            continue
        proof = uploads_same_bytes(facts, site)
        members = _repeated(facts, site, proof)
        if len(members):
            sizes = facts.episodes.bytes[members]
            figures = RepeatedUploads(int(sizes.sum()), copy_bytes=int(sizes[0]), proven=bool(proof))
            finding = waits_finding(facts, (index,), members, rule=_CODE, removal="hoist", figures=figures)
            yield dataclasses.replace(finding, confidence="high" if proof else "low")


def _repeated(facts: Facts, site: SiteMembers, proof: bool | None) -> npt.NDArray[np.int64]:
    """The copies of what another step has copied, as far as that is known or looks so."""
    if proof is not None:
        return site.members if proof else site.members[:0]
    return find_steady_uploads(facts, site.members) if names_loader(facts) else site.members[:0]


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("waits",),
    edit="hoist",
    needs=(
        Need("three steps", lambda facts: facts.steps.recorded and len(facts.steps) >= ENOUGH_STEPS),
        Need(
            "calls of a data loader",
            lambda facts: names_loader(facts) or compares_uploads(facts),
        ),
    ),
    find=find,
    passing=uploads,
    kind="upload",
)


def compares_uploads(facts: Facts) -> bool:
    """Whether the hook compared any upload of the window's run."""
    hook = facts.trace.facts
    audit = None if hook is None else hook.audit
    return audit is not None and any(call.same_bytes is not None for call in audit.calls)


def uploads_same_bytes(facts: Facts, site: SiteMembers) -> bool | None:
    """None where nobody compared, or its line uploads several things of which not all were the same."""
    hook = facts.trace.facts
    if hook is None or hook.audit is None or site.source is None or not site.source.exact:
        return None
    place = (site.source.file, site.source.line)
    seen = {
        call.same_bytes
        for call in hook.audit.calls
        if (call.file, call.line) == place and call.devices[:1] == ("cpu",) and len(call.devices) > 1
    }
    return seen.pop() if len(seen) == 1 else None
