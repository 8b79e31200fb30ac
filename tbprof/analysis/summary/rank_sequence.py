"""What the job's analysis needs to know of one rank: its collectives, and what lay between them.

Ranks are matched and compared elsewhere, from these records alone. All ranks leave a collective at the
same time, so that from one to the next of a group each has a stretch of its own, and the longest is what
the others wait for. A stretch is divided into what the device did in it, each part with a name that can be
blamed: the op and module, the cause and place of idle, another group's collective, copying.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.summary.device_pieces import DevicePieces, device_pieces
from tbprof.model import CollectiveKey, RankSequence, StretchPart
from tbprof.records import dataclass
from tbprof.trace.columns.columns import Int64s

__all__ = ["MAX_COLLECTIVES", "MAX_NAMED_PARTS", "rank_sequence"]

MAX_COLLECTIVES = 1024
"""Of a window; later ones are counted only. Steps of DDP and FSDP have some tens to some hundreds."""

MAX_NAMED_PARTS = 4096
"""Over all stretches, the longest; a part has about six bytes."""

NAMED_SHARE = 0.02
"""Of a stretch: what is shorter goes into the part of its kind without a name."""


def rank_sequence(facts: Facts) -> RankSequence | None:
    """Of the busiest device, within the steps; None where it did not communicate."""
    work, found, device = facts.work, facts.collectives, facts.work.main_device
    if device is None:
        return None
    begin = int(facts.steps.gpu_start_ns.min())
    end = int(facts.steps.gpu_end_ns.max())
    start_ns, end_ns = work.start_ns[found.at], work.end_ns[found.at]
    inside = (work.device[found.at] == device) & (start_ns >= begin) & (start_ns < end)
    all_of_device = np.flatnonzero(inside)
    chosen = all_of_device[:MAX_COLLECTIVES]
    if len(chosen) == 0:
        return None
    pieces = device_pieces(facts, device, begin, end)
    key = found.key[chosen]
    groups = _groups(found.keys, key)
    stretch_begin = _stretch_begins(groups, start_ns[chosen], end_ns[chosen], begin)
    parts = _divide(pieces, groups, stretch_begin, start_ns[chosen])
    kept, key = np.unique(key, return_inverse=True)
    return RankSequence(
        device=device,
        keys=tuple(found.keys[number] for number in kept.tolist()),
        key=tuple(key.tolist()),
        number=tuple(found.number[chosen].tolist()),
        stream=tuple(work.stream[found.at[chosen]].tolist()),
        start_ns=tuple((start_ns[chosen] - facts.origin_ns).tolist()),
        duration_ns=tuple((end_ns - start_ns)[chosen].tolist()),
        stretch_ns=tuple((start_ns[chosen] - stretch_begin).tolist()),
        parts=parts.parts,
        part_begin=tuple(parts.begin),
        part=tuple(parts.part),
        part_ns=tuple(parts.ns),
        part_count=tuple(parts.count),
        left_out=len(all_of_device) - len(chosen),
    )


def _groups(keys: Sequence[CollectiveKey], key: Int64s) -> Int64s:
    """A number for the group of each collective; those whose group was not recorded are one."""
    names = [(one.group, one.ranks) for one in keys]
    order = list(dict.fromkeys(names))
    of_key = np.array([order.index(name) for name in names], np.int64)
    return of_key[key]


def _stretch_begins(groups: Int64s, start_ns: Int64s, end_ns: Int64s, begin_ns: int) -> Int64s:
    """The end of the last earlier collective of each one's group; at most its own start."""
    begins = np.empty(len(groups), np.int64)
    for group in np.unique(groups).tolist():
        mine = np.flatnonzero(groups == group)
        reached = np.maximum.accumulate(end_ns[mine])
        begins[mine] = np.concatenate([np.array([begin_ns], np.int64), reached[:-1]])
    return np.minimum(begins, start_ns)


@dataclass(frozen=True, slots=True)
class _Divided:
    parts: tuple[StretchPart, ...]
    begin: list[int]
    part: list[int]
    ns: list[int]
    count: list[int]


def _divide(pieces: DevicePieces, groups: Int64s, begin_ns: Int64s, end_ns: Int64s) -> _Divided:
    """The parts of every stretch: those worth a name, and one of each kind for the rest."""
    stretch, part, ns, count = _overlaps(pieces, groups, begin_ns, end_ns)
    is_named = ns >= np.maximum(NAMED_SHARE * (end_ns - begin_ns)[stretch], 1)
    is_named[np.argsort(-ns, kind="stable")[MAX_NAMED_PARTS:]] = False
    part = np.where(is_named, part, pieces.nameless[part])
    places = len(pieces.parts)
    merged, which = np.unique(stretch * places + part, return_inverse=True)
    total, kernels = np.zeros(len(merged), np.int64), np.zeros(len(merged), np.int64)
    np.add.at(total, which, ns)
    np.add.at(kernels, which, count)
    used, number = np.unique(merged % places, return_inverse=True)
    begins = np.searchsorted(merged // places, np.arange(len(begin_ns) + 1))
    return _Divided(
        parts=tuple(pieces.parts[at] for at in used.tolist()),
        begin=begins.tolist(),
        part=number.tolist(),
        ns=total.tolist(),
        count=kernels.tolist(),
    )


def _overlaps(
    pieces: DevicePieces, groups: Int64s, begin_ns: Int64s, end_ns: Int64s
) -> tuple[Int64s, Int64s, Int64s, Int64s]:
    """What each stretch holds of which part: stretch, part, ns and kernels begun, each pair once."""
    found: list[Int64s] = []
    places = len(pieces.parts)
    for group in np.unique(groups).tolist():
        mine = np.flatnonzero((groups == group) & (end_ns > begin_ns))
        edges = np.unique(np.concatenate([pieces.start_ns, pieces.end_ns, begin_ns[mine], end_ns[mine]]))
        left, length = edges[:-1], np.diff(edges)
        at = np.searchsorted(begin_ns[mine], left, side="right") - 1
        inside = (at >= 0) & (left < end_ns[mine][np.maximum(at, 0)]) if len(mine) else at >= 0
        piece = np.searchsorted(pieces.start_ns, left[inside], side="right") - 1
        pair = mine[at[inside]] * places + pieces.part[piece]
        distinct, which = np.unique(pair, return_inverse=True)
        ns, count = np.zeros(len(distinct), np.int64), np.zeros(len(distinct), np.int64)
        np.add.at(ns, which, length[inside])
        np.add.at(count, which, (pieces.start_ns[piece] == left[inside]) & pieces.is_kernel[piece])
        found.append(np.stack([distinct // places, distinct % places, ns, count]))
    stretch, part, ns, count = np.concatenate(found, axis=1)
    return stretch, part, ns, count
