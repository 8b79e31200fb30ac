"""A batch is copied while the GPU has nothing else to do.

What
    A copy from pinned memory runs on the stream that computes. It does not block the host, and the
    kernels after it wait all the same.

Why
    The device has an engine for copies beside those that compute. On the same stream the two take
    turns, and the whole transfer is added to the step.

Example
    before:
        for images, labels in loader:
            images = images.to(device, non_blocking=True)
            train_step(images)
    after:
        side = torch.cuda.Stream()
        def prefetch(batches):
            for images, _ in batches:
                with torch.cuda.stream(side):
                    yield images.to(device, non_blocking=True)
        for images in prefetch(loader):
            torch.cuda.current_stream().wait_stream(side)
            images.record_stream(torch.cuda.current_stream())
            train_step(images)

Action
    Copy the next batch while this one is computed.

Fix
    Copy the next batch on a stream of its own while this one is computed, and let the computing
    stream wait for it.
    caveat: without `record_stream` the memory can be used again while the kernels still read it.

Silent
    Not reported if kernels hide the copy, if the exposed part is under 1 % of the steps, or for pageable
    memory (CPY01).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.facts import Facts
from tbprof.model import MEDIUM_SHARE, Finding
from tbprof.rules.base.findings import transfer_finding
from tbprof.rules.base.passing import uploads
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.copies.words import ExposedUploads
from tbprof.trace.columns.arrays import NONE, distinct, is_among

_CODE = "CPY09"


def find(facts: Facts) -> Iterator[Finding]:
    steps_ns = facts.steps.total_ns
    for index, site in facts.indexed_sites:
        if site.direction != "HtoD" or site.memory != "pinned":
            continue
        members = _on_computing_streams(facts, site)
        exposed = int(facts.transfers.exposed_ns[members].sum())
        if exposed >= max(MEDIUM_SHARE * steps_ns, 1):
            figures = ExposedUploads(
                bytes=int(facts.episodes.bytes[members].sum()),
                device_ns=int(facts.transfers.device_ns[members].sum()),
                exposed_ns=exposed,
            )
            yield transfer_finding(facts, index, rule=_CODE, ceiling_ns=exposed, figures=figures)


def _on_computing_streams(facts: Facts, site: SiteMembers) -> npt.NDArray[np.int64]:
    """Episodes in a step whose copy ran on a stream that runs kernels as well."""
    record = facts.episodes.record[site.members]
    inside = (record != NONE) & (facts.episodes.step[site.members] != NONE)
    members = site.members[inside]
    computes = on_computing_streams(facts.work)
    chosen: npt.NDArray[np.int64] = members[computes[facts.episodes.record[members]]]
    return chosen


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("waits",),
    find=find,
    passing=uploads,
    is_timed=True,
    needs=(GPU_WORK,),
)


def on_computing_streams(work: DeviceWork) -> npt.NDArray[np.bool_]:
    """One entry for each row of `work`."""
    computing = distinct(work.place[work.is_kernel])
    found: npt.NDArray[np.bool_] = is_among(work.place, computing)
    return found
