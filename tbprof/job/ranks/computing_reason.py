"""Whether a rank computes longer because it has more to do, or because its device is slower."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np

from tbprof.job.ranks.stretches import NOTHING, Held, Stretch, Stretches

ComputingReason: TypeAlias = Literal["more", "slower", "unknown"]

_SAME_WORK = 0.01
"""Sizes and counts of kernels that differ by less are the same."""

_EVEN = 0.05
"""A slow device slows everything alike: ratios of ops that lie within this of each other."""

_WORTH = 0.05
"""Of the computing: smaller ops say nothing."""

_Totals: TypeAlias = Mapping[str, tuple[Held, Held]]


def computing_reason(stretches: Stretches, indexes: Sequence[int], late: int) -> ComputingReason:
    """Judge the stretches of one rank before some collectives of a group.

    More kernels or larger inputs are more work. Those of the whole window must be more, too: else they are
    the same, only not before the same collectives, or under a name that other ranks had no room for. Where no
    shapes were recorded, all ops slowed alike are a slow device; one slowed more than another is more work.

    Args:
        stretches: Those of the group.
        indexes: The collectives.
        late: Position of the rank in the group.
    """
    totals = _totals(stretches, indexes, late)
    all_ns = sum(own.ns for own, _ in totals.values())
    worth = [(own, usual) for own, usual in totals.values() if own.ns > _WORTH * all_ns]
    if any(_is_more(own.kernels, usual.kernels) for own, usual in worth):
        kernels = [_kernels(stretches, rank) for rank in range(stretches.beneath_ns.shape[1])]
        return "more" if _is_more(kernels.pop(late), float(np.median(kernels))) else "slower"
    works = [(own.work, usual.work) for own, usual in worth]
    known = [(own, usual) for own, usual in works if own is not None and usual is not None]
    if len(known) == len(works):
        return "more" if any(own > usual * (1 + _SAME_WORK) for own, usual in known) else "slower"
    # What a host computes takes longer now and then, one op alone.
    if len(worth) < 2 or stretches.is_on_host:
        return "unknown"
    ratios = [own.ns / usual.ns for own, usual in worth if usual.ns]
    return "slower" if max(ratios) - min(ratios) <= _EVEN * max(ratios) else "more"


def _is_more(own: float, usual: float) -> bool:
    return own > usual * (1 + _SAME_WORK)


def _kernels(stretches: Stretches, rank: int) -> int:
    """Of the whole window, whatever their names: of the stretches that end one, and of the last."""
    ends = {*np.flatnonzero(stretches.ends_segment).tolist(), len(stretches.of) - 1}
    return sum(
        held.kernels
        for end in ends
        for part, held in stretches.of[end][rank].items()
        if part.family == "computing"
    )


def _totals(stretches: Stretches, indexes: Sequence[int], late: int) -> _Totals:
    """By op: what the late rank has of it, and the median of the others."""
    ranks = range(stretches.beneath_ns.shape[1])
    summed = [_sum([stretches.of[index][rank] for index in indexes]) for rank in ranks]
    return {
        op: (own, _median([summed[rank].get(op, NOTHING) for rank in ranks if rank != late]))
        for op, own in summed[late].items()
    }


def _sum(some: Sequence[Stretch]) -> Mapping[str, Held]:
    """Computing by op, whatever its module."""
    total: dict[str, Held] = {}
    for stretch in some:
        for part, held in stretch.items():
            # What has no name may be other ops on other ranks.
            if part.family == "computing" and part.name:
                total[part.name] = total.get(part.name, NOTHING).plus(held)
    return total


def _median(held: Sequence[Held]) -> Held:
    works = [one.work for one in held if one.work is not None]
    return Held(
        round(float(np.median([one.ns for one in held]))),
        round(float(np.median([one.kernels for one in held]))),
        round(float(np.median(works))) if len(works) == len(held) else None,
    )
