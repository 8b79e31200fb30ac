"""A tensor is cast to a wider type before it is copied.

What
    The host turns bytes into floats, or floats into doubles, and copies the result: two, four or eight
    times as many bytes as the source.

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
    Not reported if the copy is hidden, if the narrow type would save under 1 % of the steps, for casts in
    the loader's workers, which are not recorded, or without recorded shapes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

import numpy as np

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.facts import Facts
from tbprof.model import MEDIUM_SHARE, Finding
from tbprof.records import dataclass
from tbprof.rules.base.findings import transfer_finding
from tbprof.rules.base.passing import uploads
from tbprof.rules.base.rule import Need, Rule
from tbprof.rules.copies.host_ops import UNKNOWN, first_shape, host_ops, input_types, records_shapes
from tbprof.rules.copies.words import WidenedUploads
from tbprof.trace.columns.arrays import NONE, Int64s

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
            figures = WidenedUploads(
                len(sizes), bytes=int(sizes.sum()), spared_bytes=int((sizes * spared).sum())
            )
            yield transfer_finding(facts, index, rule=_CODE, ceiling_ns=spared_ns, figures=figures)


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("waits",),
    needs=(Need("shapes", lambda facts: records_shapes(facts.trace)),),
    find=find,
    passing=uploads,
    kind="upload",
)


_ITEM_BYTES = {
    "bool": 1,
    "unsigned char": 1,
    "signed char": 1,
    "short": 2,
    "c10::Half": 2,
    "c10::BFloat16": 2,
    "int": 4,
    "float": 4,
    "long int": 8,
    "double": 8,
}
"""The bytes of each type, as torch names it in a trace."""

_COPY = r"aten::copy_$"


@dataclass(frozen=True, slots=True, eq=False)
class WidenedCopies:
    episodes: Int64s
    """Ascending; on training lanes, in a step."""
    spared: tuple[float, ...]
    """The part of each copy's bytes that the narrow type does not have, 0 to 1."""


def find_widened_uploads(facts: Facts, site: SiteMembers) -> WidenedCopies:
    """The uploads of a site for which the last cast of their shape in their step, on the host, widened
    them.
    """
    found: dict[int, float] = {}
    for lane in facts.training_threads:
        mine = site.members[facts.episodes.lane[site.members] == lane]
        mine = mine[(facts.episodes.step[mine] != NONE) & (_ops(facts, mine) != NONE)]
        if len(mine):
            casts = _casts_by_shape(facts, lane)
            found |= {one: part for one in mine.tolist() if (part := _spared(facts, one, casts))}
    chosen = sorted(found)
    return WidenedCopies(np.array(chosen, np.int64), tuple(found[episode] for episode in chosen))


def _casts_by_shape(facts: Facts, lane: int) -> dict[str, list[int]]:
    """Rows of the copies that a lane made on the host, ascending by start."""
    casts: dict[str, list[int]] = {}
    for row in host_ops(facts, _COPY, lane).tolist():
        casts.setdefault(first_shape(facts.trace, row), []).append(row)
    return casts


def _spared(facts: Facts, episode: int, casts: dict[str, list[int]]) -> float:
    """The part of an upload that a cast on the device would spare, 0 where nothing widened it."""
    trace, start_ns = facts.trace, facts.trace.slices.start_ns
    upload = int(facts.calls.ops.rows[_ops(facts, np.array([episode]))[0]])
    shape = first_shape(trace, upload)
    alike = casts.get(shape, []) if shape != UNKNOWN else []
    at = bisect_left(alike, int(start_ns[upload]), key=lambda row: int(start_ns[row])) - 1
    if at < 0 or start_ns[alike[at]] < facts.steps.start_ns[facts.episodes.step[episode]]:
        return 0.0
    wide, narrow = (*input_types(trace, alike[at]), "", "")[:2]
    wide_bytes, narrow_bytes = _ITEM_BYTES.get(wide, 0), _ITEM_BYTES.get(narrow, 0)
    is_copied = input_types(trace, upload)[1:2] == (wide,)
    return 1 - narrow_bytes / wide_bytes if is_copied and wide_bytes > narrow_bytes > 0 else 0.0


def _ops(facts: Facts, episodes: Int64s) -> Int64s:
    """Position of the innermost op of each, or `NONE`."""
    positions: Int64s = facts.calls.op[facts.episodes.first[episodes]]
    return positions
