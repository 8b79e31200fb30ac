"""A pinned batch is copied, and the host waits for it.

What
    `x.to(device)` of a tensor in pinned memory, without `non_blocking=True`: the copy would not
    block; the sync call that torch adds after it does.

Why
    The sync call waits for the whole stream, with all work queued before the copy. Once in each step the host
    can no longer run ahead, for nothing in return.

Example
    before:
        loader = DataLoader(data, batch_size=128, num_workers=8, pin_memory=True)
        for images, labels in loader:
            images = images.to(device)
    after:
        loader = DataLoader(data, batch_size=128, num_workers=8, pin_memory=True)
        for images, labels in loader:
            images = images.to(device, non_blocking=True)

Action
    Copy the batch with `non_blocking=True`.

Fix
    Add `non_blocking=True`. The device's own order keeps the kernels after the copy.
    caveat: the pinned tensor must not be written to before the copy is done; a DataLoader never does.

Silent
    Not reported for pageable memory (CPY01), if the memory kind is not recorded (ROCm), or if the sync call
    is outside the copy: then the program synchronizes once for several copies, on purpose. Only `info` if
    the GPU rarely runs out of work.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.rules.base.findings import site_finding
from tbprof.rules.base.passing import uploads
from tbprof.rules.base.rule import Rule
from tbprof.rules.copies.words import BlockingUploads

_CODE = "CPY02"
_COPY = "aten::copy_"


def find(facts: Facts) -> Iterator[Finding]:
    for index, site in facts.indexed_sites:
        if _waits_for_pinned(site):
            figures = BlockingUploads(int(facts.episodes.bytes[site.members].sum()))
            yield site_finding(facts, index, rule=_CODE, removal="drop", figures=figures)


def _waits_for_pinned(site: SiteMembers) -> bool:
    """A joined synchronize lies in the same `copy_`: only one that was asked to block has it there."""
    is_upload = site.direction == "HtoD" and site.memory == "pinned"
    return is_upload and site.blocking and site.ops[:1] == (_COPY,)


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("waits",),
    edit="do_not_block",
    find=find,
    passing=uploads,
    kind="upload",
    before=("CPY03", "CPY04"),
)
