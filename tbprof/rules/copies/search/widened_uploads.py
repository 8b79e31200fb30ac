"""Uploads of tensors that the host cast to a wider type in the same step."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.facts import Facts
from tbprof.records import dataclass
from tbprof.rules.copies.search.host_ops import host_ops
from tbprof.rules.copies.search.op_inputs import UNKNOWN, first_shape, input_types
from tbprof.trace.columns.arrays import NONE, Int64s

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
"""As torch names them in a trace."""

_COPY = r"aten::copy_$"


@dataclass(frozen=True, slots=True, eq=False)
class WidenedUploads:
    episodes: Int64s
    """Ascending; on training lanes, in a step."""
    spared: tuple[float, ...]
    """Of each the part of its bytes that the narrow type does not have, 0 to 1."""


def find_widened_uploads(facts: Facts, site: SiteMembers) -> WidenedUploads:
    """Those of a site for which the last cast of their shape in their step, on the host, widened them."""
    found: dict[int, float] = {}
    for lane in facts.training_threads:
        mine = site.members[facts.episodes.lane[site.members] == lane]
        mine = mine[(facts.episodes.step[mine] != NONE) & (_ops(facts, mine) != NONE)]
        if len(mine):
            casts = _casts_by_shape(facts, lane)
            found |= {one: part for one in mine.tolist() if (part := _spared(facts, one, casts))}
    chosen = sorted(found)
    return WidenedUploads(np.array(chosen, np.int64), tuple(found[episode] for episode in chosen))


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
