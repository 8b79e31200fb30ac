"""Many small copies go to the device one by one.

What
    One piece of code copies eight and more small tensors to the device in each step (or, without
    blocking, from it).

Why
    A small copy costs its call, about 10 us, not its bytes; with a sync call after each of them the
    host loses its lead as often.

Example
    before:
        targets = [{k: v.to(device) for k, v in target.items()} for target in targets]
    after:
        flat = torch.cat([target["boxes"] for target in targets]).to(device, non_blocking=True)
        boxes = flat.split([len(target["boxes"]) for target in targets])

Action
    Copy these tensors as one.

Fix
    Put them into one tensor on the host, in `collate_fn`, copy it once and take views of it.
    caveat: the views share memory: writing into one of them in place changes the flat tensor.

Silent
    Not reported for fewer than eight copies in a step, for a median size of 64 KB or more, without recorded
    steps, or for reads that block: those are sync points (SYN05).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.facts import Facts
from tbprof.model import Finding, SiteIndex
from tbprof.rules.base.findings import waits_finding
from tbprof.rules.base.passing import copies
from tbprof.rules.base.rule import STEPS, Rule
from tbprof.rules.copies.words import SmallCopies
from tbprof.trace.columns.arrays import NONE, is_among, median

_CODE = "CPY07"

MANY_COPIES = 8
"""In the median step. A batch has two or three tensors; more come from a loop."""

SMALL_BYTES = 64 * 1024
"""Below this the call takes longer than the transfer: 64 KB take 3 us at 25 GB/s."""


def find(facts: Facts) -> Iterator[Finding]:
    together: defaultdict[tuple[object, ...], list[SiteIndex]] = defaultdict(list)
    for index, site in facts.indexed_sites:
        if _is_a_copy_to_join(site):
            together[_frame(site)].append(index)
    for sites in together.values():
        yield from _of_one_frame(facts, tuple(sites))


def _of_one_frame(facts: Facts, sites: tuple[SiteIndex, ...]) -> Iterator[Finding]:
    members = np.sort(np.concatenate([facts.sites[index].members for index in sites]))
    step = facts.episodes.step[members]
    members = members[(step != NONE) & is_among(facts.episodes.lane[members], facts.training_threads)]
    per_step = np.bincount(facts.episodes.step[members], minlength=len(facts.steps))
    copies = median(per_step[~np.array(facts.steps.cold)])
    sizes = facts.episodes.bytes[members]
    if copies >= MANY_COPIES and median(sizes) < SMALL_BYTES:
        figures = SmallCopies(copies, median_bytes=int(median(sizes)), bytes=int(sizes.sum()))
        yield waits_finding(facts, sites, members, rule=_CODE, removal="drop", figures=figures)


def _is_a_copy_to_join(site: SiteMembers) -> bool:
    return site.direction == "HtoD" or (site.direction == "DtoH" and not site.blocking)


def _frame(site: SiteMembers) -> tuple[object, ...]:
    """What makes copies those of one piece of code: its function, else its label, else its ops."""
    if site.source is not None:
        return site.direction, site.source
    return (site.direction, site.label) if site.label is not None else (site.direction, *site.ops)


RULE = Rule(code=_CODE, effect="earlier_host", answers=("waits",), find=find, passing=copies, needs=(STEPS,))
