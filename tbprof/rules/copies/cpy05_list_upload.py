"""Numbers of Python go to the device in the step.

What
    `torch.tensor([...], device=...)`, a tensor of the device indexed with a Python list or with a tensor of
    the host, or a number written where an index says (`x[index] = 1.0`): a few bytes are put together on
    the host and copied from pageable memory.

Why
    The copy is tiny, the sync call after it is not: it waits for everything queued on the stream,
    and the host loses its lead for the sake of some numbers that it knew before.

Example
    before:
        for image in images:
            rows = image[[0, 2, 5]]
            weight = torch.tensor([0.9, 0.1], device=image.device)
    after:
        index = torch.tensor([0, 2, 5], device=device)
        weight = torch.tensor([0.9, 0.1], device=device)
        for image in images:
            rows = image[index]

Action
    Make this tensor once, outside the step.

Fix
    Make the tensor once, outside the step, and keep it on the device; take slices for ranges
    (`x[:, a:b]`), `torch.full((), value, device=device)` for one number, and
    `x.index_fill_(0, index, value)` to write one. What is new in each step, as random numbers are, make on
    the device, or where the loader makes the batch.
    caveat: a kept index must move along when the model moves; a buffer of the module does.

Silent
    Not reported for 64 KB or more or for copies that do not block. Without Python frames only the index of
    an op is reported. Only `info` if the GPU rarely runs out of work.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.facts import Facts
from tbprof.analysis.names import matching_rows
from tbprof.analysis.nesting import Nest
from tbprof.line_rules import FROM_VALUES, STAGED_BYTES
from tbprof.model import Finding, Removal
from tbprof.rules.base.findings import site_finding
from tbprof.rules.base.passing import uploads
from tbprof.rules.base.rule import Rule
from tbprof.rules.copies.words import ListUploads
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.columns import Category

_CODE = "CPY05"
_INDEXING = frozenset({"aten::index", "aten::index_put_", "aten::_index_put_impl_", "aten::index_put"})
_FROM_NUMBERS = rf"<built-in (?:method|function) (?:{'|'.join(FROM_VALUES)})\b"


def find(facts: Facts) -> Iterator[Finding]:
    for index, site in facts.indexed_sites:
        sizes = facts.episodes.bytes[site.members]
        if _blocks_for_upload(site) and int(sizes.max()) < STAGED_BYTES and _of_numbers(facts, site):
            # The index goes on being used where it is; numbers are made a tensor once.
            indexing = [op for op in site.ops if op in _INDEXING]
            removal: Removal = "drop" if indexing else "hoist"
            figures = ListUploads(int(sizes.sum()), indexing[-1] if indexing else None)
            yield site_finding(facts, index, rule=_CODE, removal=removal, figures=figures)


def _blocks_for_upload(site: SiteMembers) -> bool:
    return site.direction == "HtoD" and site.memory != "pinned" and site.blocking


def _of_numbers(facts: Facts, site: SiteMembers) -> bool:
    is_index = not _INDEXING.isdisjoint(site.ops)
    return is_index or bool(lie_in_frames(facts, site.members, _FROM_NUMBERS).all())


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("waits",),
    edit="hoist",
    find=find,
    passing=uploads,
    kind="upload",
    before=("CPY03",),
)


def lie_in_frames(facts: Facts, members: Int64s, pattern: str) -> npt.NDArray[np.bool_]:
    """For each of these episodes, whether a frame whose name begins so contains all of it."""
    nest = Nest.of(facts.trace.slices, matching_rows(facts.trace, pattern, Category.PYTHON))
    episodes = facts.episodes
    at = nest.innermost(episodes.lane[members], episodes.start_ns[members], episodes.end_ns[members])
    inside: npt.NDArray[np.bool_] = at != NONE
    return inside
