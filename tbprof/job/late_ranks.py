"""The late rank of each step, and what made it late."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from tbprof.job.arrivals import NOBODY, Arrivals
from tbprof.job.blame import JITTER, TRANSPORT, UNEXPLAINED, Blame, is_of_host
from tbprof.job.computing_reason import ComputingReason, computing_reason, inputs_ratio
from tbprof.job.rank_record import Part
from tbprof.job.stretches import Stretch, Stretches

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
    near_cause: Part | None
    """Another one, to which nearly as much is due."""
    own_ns: int | None
    """How long the late rank itself did in the step what its cause is of, such as be idle: it can't have cost
    more. None where that is in no stretch of its own."""
    computing: ComputingReason | None
    """Where one of the two is computing."""
    inputs: float | None
    """How many times as large as the others' inputs its own are; None where neither is computing, and without
    shapes."""
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
    lateness = _parts_of_lateness(mine, stretches)
    parts = _within_own(lateness, mine, arrivals, stretches)
    cause, share, near = _cause(parts, sum(lateness.values()), _often(mine, arrivals, stretches))
    is_computing = any(one is not None and one.family == "computing" for one in (cause, near))
    reason, inputs = _reason(mine, arrivals, stretches) if is_computing else (None, None)
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
        near_cause=near,
        own_ns=_own_ns(mine, cause, arrivals, stretches),
        computing=reason,
        inputs=inputs,
    )


def _within_own(
    parts: Mapping[Part, float],
    mine: Sequence[tuple[int, Blame]],
    arrivals: Sequence[Arrivals],
    stretches: Sequence[Stretches],
) -> Mapping[Part, float]:
    """The same, nothing with more than the rank itself did of its kind in the step.

    Who meets others in several groups is late again and again for one and the same pause.
    """
    alike: defaultdict[str, list[Part]] = defaultdict(list)
    for part in parts:
        alike[_limited_as(part)].append(part)
    found = dict(parts)
    for some in alike.values():
        late_ns = sum(parts[part] for part in some)
        limit_ns = _limit_ns(some[0], mine, arrivals, stretches)
        if 0 < limit_ns < late_ns:
            found.update({part: parts[part] * limit_ns / late_ns for part in some})
    return found


def _limited_as(part: Part) -> str:
    """The name of what it is limited with: what a host is late for shows in all that it does then."""
    return "host" if is_of_host(part) or part.cause == "sync" else part.cause or part.family


def _limit_ns(
    part: Part,
    mine: Sequence[tuple[int, Blame]],
    arrivals: Sequence[Arrivals],
    stretches: Sequence[Stretches],
) -> float:
    """How long the late rank did such in the step, in the group in which that is most.

    Of computing, which all do, how much longer than they; 0 where nothing tells.
    """
    name, found = _limited_as(part), [0.0]
    for group in {group for group, _ in mine}:
        indexes = np.flatnonzero(arrivals[group].step == mine[0][1].step).tolist()
        ranks = arrivals[group].group.ranks
        late = ranks.index(mine[0][1].rank)
        others = range(len(ranks)) if part.family == "computing" else ()
        own, *done = (
            sum(
                _since_last(stretches[group], index, rank, lambda one: _limited_as(one) == name)
                for index in indexes
            )
            for rank in (late, *(rank for rank in others if rank != late))
        )
        found.append(own - (float(np.median(done)) if done else 0.0))
    return max(found)


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
        found.append(
            sum(
                _since_last(stretches[group], index, late, lambda one: one.family == cause.family)
                for index in indexes
            )
        )
    return max(found, default=0)


def _since_last(stretches: Stretches, index: int, rank: int, is_such: Callable[[Part], bool]) -> int:
    """What a rank did of some parts since the collective before."""
    ns = _sum_of(stretches.of[index][rank], is_such)
    if index == 0 or stretches.ends_segment[index - 1]:
        return ns
    return ns - _sum_of(stretches.of[index - 1][rank], is_such)


def _sum_of(stretch: Stretch, is_such: Callable[[Part], bool]) -> int:
    return sum(held.ns for part, held in stretch.items() if is_such(part))


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
) -> Mapping[Part, float]:
    """In how many stretches of the late rank each part is, in the groups in which it was late."""
    found: defaultdict[Part, float] = defaultdict(float)
    for group in {group for group, _ in mine}:
        of_rank = stretches[group].often[arrivals[group].group.ranks.index(mine[0][1].rank)]
        for part, number in of_rank.items():
            found[part] += number
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

_NEARLY_AS_MUCH = 0.75
"""The part of a cause's share from which on another one is as likely the larger: both are said."""

_AS_MUCH_AFTER_WAIT = 0.5
"""The same between a wait and what the host does, which without it might cost nothing."""

_SELDOM = 0.5
"""The share of how often the largest part is there: a host that fell behind idles wherever it works."""


_Kind: TypeAlias = tuple[str, str]
"""A family, and the cause of idle."""


def _kind_of(part: Part) -> _Kind:
    return part.family, part.cause


def _cause(
    parts: Mapping[Part, float], late_ns: float, often: Mapping[Part, float]
) -> tuple[Part | None, float, Part | None]:
    """The kind with most of the lateness, of it the part with most, the kind's share; and a part of another
    kind that has nearly as much.
    """
    kinds: defaultdict[_Kind, float] = defaultdict(float)
    for part, ns in parts.items():
        kinds[_kind_of(part)] += ns
    own = {kind: ns for kind, ns in kinds.items() if kind[0] != "communication"}
    chosen = own if sum(own.values()) > (1 - _NEARLY_ALL) * sum(kinds.values()) else kinds
    if not chosen:
        return None, 0.0, None
    first, *others = sorted(chosen, key=lambda kind: (-chosen[kind], kind))
    most = _most_of(parts, first)
    if is_of_host(most):
        seldom = [
            part
            for part, ns in parts.items()
            if is_of_host(part) and ns >= _CONSIDERABLE * parts[most] and often[part] <= _SELDOM * often[most]
        ]
        most = min(seldom, key=lambda part: (often[part], -parts[part], part.name), default=most)
    named = _kind_of(most)
    share = kinds[named] / (late_ns or 1.0)
    if named != first:
        # The rest is what follows from it.
        return most, share, None
    near = (_most_of(parts, kind) for kind in others if chosen[kind] >= _AS_MUCH_AFTER_WAIT * chosen[first])
    is_near = (
        part
        for part in near
        if chosen[_kind_of(part)] >= _NEARLY_AS_MUCH * chosen[first] or _hide_each_other(most, part)
    )
    return most, share, next(is_near, None)


def _hide_each_other(one: Part, other: Part) -> bool:
    """Whether what a host does is exposed because a wait before it had drained the queue."""
    return any(sync.cause == "sync" and is_of_host(host) for sync, host in ((one, other), (other, one)))


def _most_of(parts: Mapping[Part, float], kind: _Kind) -> Part:
    return max((part for part in parts if _kind_of(part) == kind), key=lambda part: (parts[part], part.name))


def _reason(
    mine: Sequence[tuple[int, Blame]], arrivals: Sequence[Arrivals], stretches: Sequence[Stretches]
) -> tuple[ComputingReason, float | None]:
    """The reason in the group in which the rank was late longest, and how much larger its inputs are."""
    group = max(mine, key=lambda one: one[1].late_ns)[0]
    blames = [blame for other, blame in mine if other == group]
    late = arrivals[group].group.ranks.index(blames[0].rank)
    indexes = [blame.index for blame in blames]
    return (
        computing_reason(stretches[group], indexes, late),
        _inputs(mine[0][1], arrivals, stretches),
    )


def _inputs(blame: Blame, arrivals: Sequence[Arrivals], stretches: Sequence[Stretches]) -> float | None:
    """Between level points of the rank's largest group: before others all ranks have not done the same."""
    groups = [group for group, one in enumerate(arrivals) if blame.rank in one.group.ranks]
    group = max(groups, key=lambda one: len(arrivals[one].group.ranks))
    of_step = np.flatnonzero(arrivals[group].step == blame.step)
    ends = [at for at in of_step.tolist() if stretches[group].ends_segment[at]] or of_step[-1:].tolist()
    return inputs_ratio(stretches[group], ends, arrivals[group].group.ranks.index(blame.rank))
