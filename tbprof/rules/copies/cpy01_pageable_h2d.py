"""Data is copied to the device from pageable memory.

What
    `x.to(device)` of a tensor in ordinary host memory. The driver copies it piece by piece through
    a buffer of its own, and the host stands still for most of that time.

Why
    The host can't launch anything meanwhile, and the copy runs at a fraction of the speed of the
    bus. After a small one, too, the host waits for all that is queued. From pinned memory the same
    call returns at once and the copy runs beside the kernels.

Example
    before:
        loader = DataLoader(data, batch_size=128, num_workers=8)
        for images, labels in loader:
            images = images.to(device)
    after:
        loader = DataLoader(data, batch_size=128, num_workers=8, pin_memory=True)
        for images, labels in loader:
            images = images.to(device, non_blocking=True)

Action
    Pin the batches, and copy them with `non_blocking=True`.

Fix
    Let the DataLoader pin its batches, and copy them with `non_blocking=True`. What is not a batch (a
    buffer, a mask, a table that each step moves) keep on the device.
    caveat: don't write `x.pin_memory().to(device)` in the loop: pinning there costs more than it
    wins.

Silent
    Not reported for copies of 64 KB or less, which the driver takes at once, unless they are a batch that
    blocks; for non-blocking copies if the memory kind is not recorded (ROCm); or where a model is moved: in
    the first step alone, or, without marked steps, by dozens of uploads with hardly a kernel before them.
    Only `info` if the GPU rarely runs out of work and they would take no less of it pinned, or for
    non-blocking copies to a device whose link is not known while none of the window is pinned.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.copy_kinds import DIRECTIONS, MEMORIES
from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import overlap_ns
from tbprof.analysis.limits.links import pinned_bytes_per_ns
from tbprof.line_rules import STAGED_BYTES
from tbprof.model import SEVERITIES, Finding, Severity, SiteIndex
from tbprof.rules.base.findings import site_finding, transfer_finding, with_remedy
from tbprof.rules.base.passing import uploads
from tbprof.rules.base.rule import Rule
from tbprof.rules.copies.steady_uploads import moves_batch, names_loader
from tbprof.rules.copies.words import PageableUploads
from tbprof.trace.columns.arrays import NONE, Int64s, is_among, median

_CODE = "CPY01"
_KEPT = "CPY03"
"""The rule whose fix is that of what each step copies and is no batch."""


BATCH_BYTES = 1 << 20
"""The size from which it is taken for a batch: 32 gray pictures of 91 x 91 pixels in float32."""

_MOST = 0.5
_WORTH_SAYING = 0.01
"""The part of the steps that faster copies win, from which it is said."""


def find(facts: Facts) -> Iterator[Finding]:
    for index, site in facts.indexed_sites:
        sizes = facts.episodes.bytes[site.members]
        if not _uploads(site) or _only_first(facts, site):
            continue
        is_batch = _is_batch(facts, site)
        if int(sizes.max()) > STAGED_BYTES or (is_batch and site.blocking):
            figures = PageableUploads(
                bytes=int(sizes.sum()),
                call_ns=int(facts.episodes.copy_ns[site.members].sum()),
                is_batch=is_batch,
            )
            if site.blocking:
                found = _blocking(facts, index, _with_copying(facts, site, figures))
            else:
                found = _staged(facts, index, figures)
            yield with_remedy(found, fixed_as="" if is_batch else _KEPT)


def _blocking(facts: Facts, index: SiteIndex, figures: PageableUploads) -> Finding:
    """A finding about uploads that the host waits for: about these waits, or about the copies themselves.

    A device that is busy with them is no sooner done for a host that comes earlier.
    """
    found = site_finding(facts, index, rule=_CODE, removal="drop", figures=figures)
    rate, is_measured = facts.once(_pinned_rate)
    if figures.copying_ns is None or rate is None or found.saving is None or not facts.device_is_known:
        return found
    shorter_ns = int(_more_than_pinned_ns(facts, facts.sites[index].members, rate).sum())
    saving = found.saving
    if shorter_ns <= (saving.ceiling_ns if saving.estimate_ns is None else saving.estimate_ns):
        return found
    transfer = _of_transfer(facts, index, figures, shorter_ns, is_measured=is_measured)
    # What is uploaded once, and in no step, may never be again.
    is_of_one = transfer.count == 1 and not facts.steps.recorded
    worst: Severity = "low" if is_of_one else "critical"
    return dataclasses.replace(transfer, severity=max(transfer.severity, worst, key=SEVERITIES.index))


def _of_transfer(
    facts: Facts, index: SiteIndex, figures: PageableUploads, most_ns: int, *, is_measured: bool
) -> Finding:
    """A finding about how long copies take; at most high where their rate is that of the device's link."""
    found = transfer_finding(facts, index, rule=_CODE, ceiling_ns=most_ns, figures=figures)
    at_most: Severity = "critical" if is_measured else "high"
    return dataclasses.replace(found, severity=max(found.severity, at_most, key=SEVERITIES.index))


def _staged(facts: Facts, index: SiteIndex, figures: PageableUploads) -> Finding:
    """A finding about uploads that the host copies itself: by definition no wait, and it is in the call.

    Pinned, the host goes on, and the copy takes what the link does.
    """
    members = facts.sites[index].members
    rate, is_measured = facts.once(_pinned_rate)
    figures = dataclasses.replace(
        figures,
        is_staged_without_wait=True,
        pinned_gb_per_s=None if rate is None else round(rate, 1),
        is_rate_measured=None if rate is None else is_measured,
    )
    most_ns = 0 if rate is None else int(_more_than_pinned_ns(facts, members, rate).sum())
    found = _of_transfer(facts, index, figures, most_ns, is_measured=is_measured)
    if rate is None or not facts.device_is_known:
        return dataclasses.replace(found, severity="info", saving=None)
    return found


def _with_copying(facts: Facts, site: SiteMembers, figures: PageableUploads) -> PageableUploads:
    """The same with what the copies take on the device and would take pinned, where that is much less.

    The estimate is that of the waits alone: a host that comes earlier makes no copy shorter.
    """
    rate, is_measured = facts.once(_pinned_rate)
    copying_ns = int(facts.transfers.device_ns[site.members].sum())
    if rate is None or copying_ns - figures.bytes / rate < _WORTH_SAYING * facts.steps.total_ns:
        return figures
    return dataclasses.replace(
        figures, copying_ns=copying_ns, pinned_gb_per_s=round(rate, 1), is_rate_measured=is_measured
    )


def _pinned_rate(facts: Facts) -> tuple[float | None, bool]:
    """Bytes a ns of the fastest pinned upload of the window, and whether there is one; else the link's."""
    episodes, device_ns = facts.episodes, facts.transfers.device_ns
    alike = (episodes.direction == DIRECTIONS.index("HtoD")) & (device_ns > 0)
    alike &= (episodes.memory == MEMORIES.index("pinned")) & (episodes.bytes >= BATCH_BYTES)
    if alike.any():
        return float((episodes.bytes[alike] / device_ns[alike]).max()), True
    main, names = facts.work.main_device, facts.trace.device_names
    return (None if main is None else pinned_bytes_per_ns(names.get(main, ""))), False


def _more_than_pinned_ns(facts: Facts, members: Int64s, rate: float) -> Int64s:
    """For each upload how much longer call and copy last with nothing computed than the copy alone would."""
    episodes, work = facts.episodes, facts.work
    record = episodes.record[members]
    members, record = members[record != NONE], record[record != NONE]
    start_ns = episodes.start_ns[members]
    end_ns = np.maximum(start_ns + episodes.copy_ns[members], work.end_ns[record])
    hidden_ns = np.zeros(len(members), np.int64)
    for device, busy in facts.transfers.computing.items():
        mine = work.device[record] == device
        hidden_ns[mine] = overlap_ns(busy, start_ns[mine], end_ns[mine])
    pinned_ns = (episodes.bytes[members] / rate).astype(np.int64)
    more_ns: Int64s = np.maximum(end_ns - start_ns - hidden_ns - pinned_ns, 0)
    return more_ns


def _uploads(site: SiteMembers) -> bool:
    """ROCm does not record the memory; from whatever kind, one that blocks need not."""
    is_known = site.memory == "pageable" or (site.memory == "" and site.blocking)
    return site.direction == "HtoD" and is_known


def _is_batch(facts: Facts, site: SiteMembers) -> bool:
    """Whether it comes from the data loader; where the trace names none, whether it is large."""
    if not names_loader(facts):
        return median(facts.episodes.bytes[site.members]) >= BATCH_BYTES
    return bool(np.mean(moves_batch(facts, facts.episodes.start_ns[site.members])) > _MOST)


def _only_first(facts: Facts, site: SiteMembers) -> bool:
    """Whether a model is being moved: all of it is in the first of several steps, or in a program's start."""
    if len(facts.steps) > 1:
        return bool(np.all(facts.episodes.step[site.members] <= 0))
    return bool(is_among(site.members, facts.moved_model).all())


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("waits", "copying"),
    edit="pin",
    find=find,
    passing=uploads,
    kind="upload",
)
