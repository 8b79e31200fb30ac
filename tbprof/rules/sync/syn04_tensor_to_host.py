"""A tensor is copied to the host in the step.

What
    `.cpu()`, `.numpy()`, `.tolist()`, `.to("cpu")` or printing a device tensor copies it into
    pageable host memory. Such a copy returns only when it is done, and so is everything queued
    before it.

Why
    The host stands still until the device has caught up, then works on the data while the device
    has nothing queued. The copy itself is often the smallest part.

Example
    before:
        predicted = logits.argmax(1).cpu()
        matrix += confusion(predicted, labels)
    after:
        predicted = logits.argmax(1)
        matrix += confusion(predicted, labels.to(predicted.device, non_blocking=True))
        if step % 50 == 0:
            log(matrix.cpu())

Action
    Copy this tensor to the host less often, or one step late.

Fix
    Reduce on the device and copy the result rarely; where the tensor itself is needed, copy it
    into a pinned buffer without blocking and read it after an event, one step later.
    caveat: a buffer that is read before its event has passed holds old data.

Silent
    Not reported for 16 bytes or less (SYN01, SYN02), for non-blocking copies into pinned memory, or inside
    ops whose shape depends on the data. Only `info` if the GPU rarely runs out of work.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.facts import Facts
from tbprof.line_rules import SCALAR_BYTES
from tbprof.model import Finding
from tbprof.rules.base.evidence import can_be_deferred, is_read
from tbprof.rules.base.findings import site_finding
from tbprof.rules.base.passing import sync_points
from tbprof.rules.base.rule import Rule
from tbprof.rules.sync.words import TensorReads

_CODE = "SYN04"
_COPY = "aten::copy_"


def find(facts: Facts) -> Iterator[Finding]:
    for index, site in facts.indexed_sites:
        sizes = facts.episodes.bytes[site.members]
        if _reads_tensor(site) and int(sizes.max()) > SCALAR_BYTES:
            figures = TensorReads(int(sizes.sum()), median_bytes=int(sorted(sizes)[len(sizes) // 2]))
            yield site_finding(facts, index, rule=_CODE, removal="defer", figures=figures)


def _reads_tensor(site: SiteMembers) -> bool:
    return is_read(site) and can_be_deferred(site) and _COPY in site.ops


RULE = Rule(
    code=_CODE, effect="earlier_host", answers=("waits",), find=find, passing=sync_points, kind="host_read"
)
