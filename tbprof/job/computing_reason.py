"""Whether a rank that computes longer than the others has more work, or does the same slower."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np

from tbprof.job.stretches import NOTHING, Held, Stretch, Stretches

ComputingReason: TypeAlias = Literal["more", "slower", "unknown"]

_SAME_WORK = 0.01
"""Sizes and counts of kernels that differ by less are the same."""

_EVEN = 0.05
"""A slow device slows everything alike: ratios of ops that lie within this of each other."""

_WORTH = 0.05
"""The share of the computing below which an op says nothing."""

_SMALL = 0.005
"""The same, of an op that may show by how much a device slows what is no more work."""

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
    worth = [(own, usual) for own, usual in totals.values() if own.ns > _WORTH * all_ns and usual.ns]
    if any(_is_more(own.kernels, usual.kernels) for own, usual in worth):
        kernels = [_kernels(stretches, rank) for rank in range(stretches.beneath_ns.shape[1])]
        return "more" if _is_more(kernels.pop(late), float(np.median(kernels))) else "slower"
    more = [_work_ratio(own, usual) for own, usual in worth]
    if all(ratio is not None for ratio in more):
        return _larger(worth, [ratio or 1.0 for ratio in more])
    # What a host computes takes longer now and then, one op alone.
    if len(worth) < 2 or stretches.is_on_host:
        return "unknown"
    ratios = [own.ns / usual.ns for own, usual in worth]
    if max(ratios) - min(ratios) <= _EVEN * max(ratios):
        return "slower"
    # An optimizer's kernels are as large whatever the work; they may be in no stretch before these.
    known = {**_totals(stretches, _whole(stretches), late), **totals}.values()
    slowed = min(own.ns / usual.ns for own, usual in known if own.ns > _SMALL * all_ns and usual.ns)
    slower_ns, more_ns = _divided(worth, slowed)
    return "more" if more_ns > slower_ns else "slower"


def inputs_ratio(stretches: Stretches, indexes: Sequence[int], late: int) -> float | None:
    """How many times as large the inputs of a rank's ops are, by the time that the others spend in each; the
    arguments are those of `computing_reason`. None without shapes.
    """
    totals = _totals(stretches, indexes, late)
    all_ns = sum(own.ns for own, _ in totals.values())
    worth = [(own, usual) for own, usual in totals.values() if own.ns > _WORTH * all_ns and usual.ns]
    more = [(_work_ratio(own, usual), usual.ns) for own, usual in worth]
    if not more or any(ratio is None for ratio, _ in more):
        return None
    return sum((ratio or 1.0) * ns for ratio, ns in more) / sum(ns for _, ns in more)


def _work_ratio(own: Held, usual: Held) -> float | None:
    """How much more an op was given; None without shapes."""
    if own.work is None or usual.work is None:
        return None
    return own.work / usual.work if usual.work else 1.0


def _larger(worth: Sequence[tuple[Held, Held]], more: Sequence[float]) -> ComputingReason:
    """Whether more work or a slower device explains more of what ops take longer.

    A slow device slows all alike: by as much as the op that is slowed least for its work. What others take
    beyond that is the work's, which need not grow with the sizes alone.
    """
    if max(more, default=1.0) <= 1 + _SAME_WORK:
        return "slower"
    longer = (own.ns / usual.ns / max(ratio, 1.0) for (own, usual), ratio in zip(worth, more, strict=True))
    slower_ns, more_ns = _divided(worth, min(longer))
    return "more" if more_ns > slower_ns else "slower"


def _divided(worth: Sequence[tuple[Held, Held]], slowed: float) -> tuple[float, float]:
    """What all ops take longer for being slowed alike, and beyond that."""
    slowed = max(slowed, 1.0)
    slower_ns = sum(own.ns - own.ns / slowed for own, _ in worth)
    return slower_ns, sum(max(own.ns / slowed - usual.ns, 0.0) for own, usual in worth)


def _is_more(own: float, usual: float) -> bool:
    return own > usual * (1 + _SAME_WORK)


def _kernels(stretches: Stretches, rank: int) -> int:
    """The kernels of the whole window, whatever their names."""
    return sum(
        held.kernels
        for end in _whole(stretches)
        for part, held in stretches.of[end][rank].items()
        if part.family == "computing"
    )


def _whole(stretches: Stretches) -> Sequence[int]:
    """The stretches that make the whole window: those that end at a level point, and the last."""
    return sorted({*np.flatnonzero(stretches.ends_segment).tolist(), len(stretches.of) - 1})


def _totals(stretches: Stretches, indexes: Sequence[int], late: int) -> _Totals:
    """The time of each op: what the late rank has of it, and the median of the others."""
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
