"""The stretches between collectives, divided by what the rank did in them.

Each part has a name that can be blamed: the op and module, the cause and place of idle, another group's
collective, copying.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.summary.device_pieces import DevicePieces
from tbprof.model import StretchPart
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, distinct_places

MAX_NAMED_PARTS = 4096
"""Over all stretches, the longest; a part has about six bytes."""

NAMED_SHARE = 0.02
"""Of a stretch: what is shorter goes into the part of its kind without a name, computing into that of its op:
whether a rank computes more is told by the kernels of each."""


@dataclass(frozen=True, slots=True)
class Divided:
    parts: tuple[StretchPart, ...]
    begin: list[int]
    part: list[int]
    ns: list[int]
    count: list[int]
    work: list[int]


def divide(pieces: DevicePieces, groups: Int64s, begin_ns: Int64s, end_ns: Int64s) -> Divided:
    """The parts of every stretch: those worth a name, and one of each kind for the rest."""
    stretch, part, ns, count, work, unknown = _overlaps(pieces, groups, begin_ns, end_ns)
    is_worth = ns >= np.maximum(NAMED_SHARE * (end_ns - begin_ns)[stretch], 1)
    has_room = np.zeros(len(ns), np.bool_)
    has_room[np.argsort(-ns, kind="stable")[:MAX_NAMED_PARTS]] = True
    # How long a collective was exposed is told by its own group's part alone.
    is_kept = np.array([one.kind == "communication" for one in pieces.parts])[part]
    smaller = np.where(has_room, pieces.coarser[part], pieces.nameless[part])
    part = np.where(is_kept | (is_worth & has_room), part, smaller)
    places = len(pieces.parts)
    merged, which = distinct_places(stretch * places + part)
    total, kernels, elements, lacking = (
        _summed(which, one, len(merged)) for one in (ns, count, work, unknown)
    )
    used, number = distinct_places(merged % places)
    begins = np.searchsorted(merged // places, np.arange(len(begin_ns) + 1))
    return Divided(
        parts=tuple(pieces.parts[at] for at in used.tolist()),
        begin=begins.tolist(),
        part=number.tolist(),
        ns=total.tolist(),
        count=kernels.tolist(),
        work=np.where(lacking > 0, NONE, elements).tolist(),
    )


def _summed(which: Int64s, values: Int64s, places: int) -> Int64s:
    """The values of each place together."""
    total = np.zeros(places, np.int64)
    np.add.at(total, which, values)
    return total


def _overlaps(pieces: DevicePieces, groups: Int64s, begin_ns: Int64s, end_ns: Int64s) -> Int64s:
    """What each stretch holds of which part, each pair once.

    Rows: stretch, part, ns, kernels begun, the elements of their inputs, and how many have none recorded.
    """
    found: list[Int64s] = []
    places = len(pieces.parts)
    for group in distinct(groups).tolist():
        mine = np.flatnonzero((groups == group) & (end_ns > begin_ns))
        edges = distinct(np.concatenate([pieces.start_ns, pieces.end_ns, begin_ns[mine], end_ns[mine]]))
        left, length = edges[:-1], np.diff(edges)
        at = np.searchsorted(begin_ns[mine], left, side="right") - 1
        inside = (at >= 0) & (left < end_ns[mine][np.maximum(at, 0)]) if len(mine) else at >= 0
        piece = np.searchsorted(pieces.start_ns, left[inside], side="right") - 1
        pair = mine[at[inside]] * places + pieces.part[piece]
        pairs, which = distinct_places(pair)
        begun = ((pieces.start_ns[piece] == left[inside]) & pieces.is_kernel[piece]).astype(np.int64)
        work = pieces.elements[piece]
        columns = (length[inside], begun, begun * np.maximum(work, 0), begun * (work == NONE))
        sums = (_summed(which, one, len(pairs)) for one in columns)
        found.append(np.stack([pairs // places, pairs % places, *sums]))
    return np.concatenate(found, axis=1)
