"""The late rank of each step, and what made it late."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from tbprof.job.arrivals import NOBODY, Arrivals
from tbprof.job.blame import JITTER, TRANSPORT, UNEXPLAINED, Blame, is_of_host
from tbprof.job.rank_record import Part
from tbprof.job.stretches import NOTHING, Held, Stretch, Stretches

_CONSIDERABLE = 0.3
"""The share of the largest part. A host that fell behind shows it wherever it works; what it seldom does is
first."""


@dataclass(frozen=True, slots=True)
class LateRank:
    """Who the others waited for in one step."""

    step: int
    rank: int
    """Position in the list of records, or `NOBODY`."""
    also_late: tuple[int, ...]
    """Positions of those that came together with it in most of these collectives."""
    late_ns: int
    """Over all collectives of the step in which it was the late one; those side by side count once."""
    latest_in: int
    """How many those are."""
    collectives: int
    waits_ns: int
    """The waits of all ranks in all collectives of the step."""
    by_part: Mapping[Part, int]
    """The waits by what was to blame for them, on all late ranks; they add up to `waits_ns`."""
    cause: Part | None
    """What made the late rank late, by what most of the waits for it are due to; None where nobody was."""
    cause_share: float
    """The part of the lateness that is due to it."""
    own_ns: int | None
    """How long the late rank itself did in the step what its cause is of, such as be idle: it can't have cost
    more. None where that is in no stretch of its own."""
    computing: ComputingReason | None
    """Where the cause is computing."""
    others: tuple[LateRank, ...] = ()
    """The ranks that were late in other collectives of the step, the latest first."""


def late_ranks(
    arrivals: Sequence[Arrivals], stretches: Sequence[Stretches], blames: Sequence[Sequence[Blame]]
) -> tuple[LateRank, ...]:
    """One for each step with matched collectives, ascending; each argument has one entry a group."""
    by_step: defaultdict[int, list[tuple[int, Blame]]] = defaultdict(list)
    for group, of_group in enumerate(blames):
        for blame in of_group:
            by_step[blame.step].append((group, blame))
    return tuple(_late_rank(step, by_step[step], arrivals, stretches) for step in sorted(by_step))


def _late_rank(
    step: int,
    found: Sequence[tuple[int, Blame]],
    arrivals: Sequence[Arrivals],
    stretches: Sequence[Stretches],
) -> LateRank:
    lateness: Counter[int] = Counter()
    everything: Counter[Part] = Counter()
    for _, blame in found:
        everything.update(blame.by_part)
        if blame.rank != NOBODY:
            lateness[_first_late(blame, found)] += blame.net_late_ns
    rank, _ = max(lateness.items(), key=lambda one: (one[1], -one[0]), default=(NOBODY, 0))
    first = _of_rank(step, rank, found, everything, arrivals, stretches)
    besides = {blame.rank for _, blame in found} - {NOBODY, rank, *first.also_late}
    others = [_of_rank(step, other, found, everything, arrivals, stretches) for other in sorted(besides)]
    # A rank that came late because it waited for another is none to look at.
    own = [replace(one, late_ns=min(one.late_ns, lateness[one.rank])) for one in others]
    late = sorted((one for one in own if one.late_ns), key=lambda one: -one.late_ns)
    return replace(first, others=tuple(late))


def _of_rank(
    step: int,
    rank: int,
    found: Sequence[tuple[int, Blame]],
    everything: Mapping[Part, int],
    arrivals: Sequence[Arrivals],
    stretches: Sequence[Stretches],
) -> LateRank:
    mine = [(group, blame) for group, blame in found if blame.rank == rank != NOBODY]
    parts = _parts_of_lateness(mine, stretches)
    cause, share = _cause(parts, _often(mine, arrivals, stretches))
    return LateRank(
        step=step,
        rank=rank,
        also_late=_also_late([blame for _, blame in mine]),
        # Those that wait for who waits for it wait for the same time.
        late_ns=sum(blame.net_late_ns for _, blame in mine),
        latest_in=len(mine),
        collectives=len(found),
        waits_ns=sum(blame.waits_ns for _, blame in found),
        by_part=everything,
        cause=cause,
        cause_share=share,
        own_ns=_own_ns(mine, cause, arrivals, stretches),
        computing=_reason(mine, arrivals, stretches) if cause and cause.family == "computing" else None,
    )


def _own_ns(
    mine: Sequence[tuple[int, Blame]],
    cause: Part | None,
    arrivals: Sequence[Arrivals],
    stretches: Sequence[Stretches],
) -> int | None:
    """What it did in the group in which that is most: stretches of several groups lie over one another."""
    if cause is None or cause in (JITTER, UNEXPLAINED, TRANSPORT):
        return None
    found = []
    for group in {group for group, _ in mine}:
        indexes = np.flatnonzero(arrivals[group].step == mine[0][1].step).tolist()
        late = arrivals[group].group.ranks.index(mine[0][1].rank)
        found.append(sum(_since_last(stretches[group], index, late, cause.family) for index in indexes))
    return max(found, default=0)


def _since_last(stretches: Stretches, index: int, rank: int, family: str) -> int:
    """What a rank did of a family since the collective before."""
    ns = _of_family(stretches.of[index][rank], family)
    if index == 0 or stretches.ends_segment[index - 1]:
        return ns
    return ns - _of_family(stretches.of[index - 1][rank], family)


def _of_family(stretch: Stretch, family: str) -> int:
    return sum(held.ns for part, held in stretch.items() if part.family == family)


def _first_late(blame: Blame, found: Sequence[tuple[int, Blame]]) -> int:
    """The rank itself, or the one that it waited for in another group."""
    most = max(blame.by_part.items(), key=lambda one: one[1], default=(UNEXPLAINED, 0))[0]
    if most.family != "communication":
        return blame.rank
    there = Counter[int]()
    for _, other in found:
        if other.group == most.within and other.rank != NOBODY:
            there[other.rank] += other.net_late_ns
    return max(there.items(), key=lambda one: (one[1], -one[0]), default=(blame.rank, 0))[0]


def _also_late(blames: Sequence[Blame]) -> tuple[int, ...]:
    times = Counter(rank for blame in blames for rank in blame.also_late)
    return tuple(sorted(rank for rank, number in times.items() if number > len(blames) / 2))


def _often(
    mine: Sequence[tuple[int, Blame]], arrivals: Sequence[Arrivals], stretches: Sequence[Stretches]
) -> Mapping[Part, int]:
    """In how many stretches of the late rank each part is, in the groups in which it was late."""
    found: Counter[Part] = Counter()
    for group in {group for group, _ in mine}:
        found.update(stretches[group].often[arrivals[group].group.ranks.index(mine[0][1].rank)])
    return found


def _parts_of_lateness(
    mine: Sequence[tuple[int, Blame]], stretches: Sequence[Stretches]
) -> Mapping[Part, float]:
    """How late each part made the rank, in ns.

    Since ranks were level, what made it late with one collective is in the stretch of the next one, too: the
    latest one has all of it, and counts for all of them.
    """
    segments: defaultdict[tuple[int, int], list[Blame]] = defaultdict(list)
    for group, blame in mine:
        segment = int(np.count_nonzero(stretches[group].ends_segment[: blame.index]))
        segments[group, segment].append(blame)
    found: defaultdict[Part, float] = defaultdict(float)
    for blames in segments.values():
        late_ns = sum(blame.net_late_ns for blame in blames)
        most = max(blames, key=lambda blame: blame.late_ns)
        for part, ns in most.by_part.items():
            found[part] += late_ns * ns / max(most.waits_ns, 1)
    return found


_NEARLY_ALL = 0.75
"""The share of a lateness from which on waiting for others is what to say of it: else what the rank itself
does is, of which that is a consequence."""


def _cause(parts: Mapping[Part, float], often: Mapping[Part, int]) -> tuple[Part | None, float]:
    """The family with most of the lateness, of it the part with most, and the family's share."""
    families: defaultdict[tuple[str, str], float] = defaultdict(float)
    for part, ns in parts.items():
        families[part.family, part.cause] += ns
    all_ns = sum(families.values())
    own = {family: ns for family, ns in families.items() if family[0] != "communication"}
    chosen = own if sum(own.values()) > (1 - _NEARLY_ALL) * all_ns else families
    if not chosen:
        return None, 0.0
    family, _ = max(chosen.items(), key=lambda one: (one[1], one[0]))
    some = [part for part in parts if (part.family, part.cause) == family]
    most = max(some, key=lambda part: (parts[part], part.name))
    if is_of_host(most):
        hosts = [part for part in parts if is_of_host(part) and parts[part] >= _CONSIDERABLE * parts[most]]
        most = min(hosts, key=lambda part: (often[part], -parts[part], part.name))
    return most, families[most.family, most.cause] / (all_ns or 1.0)


def _reason(
    mine: Sequence[tuple[int, Blame]], arrivals: Sequence[Arrivals], stretches: Sequence[Stretches]
) -> ComputingReason:
    """The reason in the group in which the rank was late longest."""
    group = max(mine, key=lambda one: one[1].late_ns)[0]
    blames = [blame for other, blame in mine if other == group]
    late = arrivals[group].group.ranks.index(blames[0].rank)
    return computing_reason(stretches[group], [blame.index for blame in blames], late)


ComputingReason: TypeAlias = Literal["more", "slower", "unknown"]

_SAME_WORK = 0.01
"""Sizes and counts of kernels that differ by less are the same."""

_EVEN = 0.05
"""A slow device slows everything alike: ratios of ops that lie within this of each other."""

_WORTH = 0.05
"""The share of the computing below which an op says nothing."""

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
    return "slower" if max(ratios) - min(ratios) <= _EVEN * max(ratios) else "more"


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
    slowed = max(min(longer), 1.0)
    slower_ns = sum(own.ns - own.ns / slowed for own, _ in worth)
    more_ns = sum(max(own.ns / slowed - usual.ns, 0.0) for own, usual in worth)
    return "more" if more_ns > slower_ns else "slower"


def _is_more(own: float, usual: float) -> bool:
    return own > usual * (1 + _SAME_WORK)


def _kernels(stretches: Stretches, rank: int) -> int:
    """The kernels of the whole window, whatever their names: of the stretches that end one, and of the
    last.
    """
    ends = {*np.flatnonzero(stretches.ends_segment).tolist(), len(stretches.of) - 1}
    return sum(
        held.kernels
        for end in ends
        for part, held in stretches.of[end][rank].items()
        if part.family == "computing"
    )


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
