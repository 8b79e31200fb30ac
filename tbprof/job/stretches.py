"""What ranks did since they last were level, at each of their collectives.

Ranks are level where all stand still until a collective ends: from there each has a stretch of its own to the
next. Where computing goes on beneath a collective, as in DDP's backward pass, who waited is ahead with the
next one; then only all that was done since the last level point can be compared.

When the matched collectives of a job end, from the times that ranks need between them.

A rank's own time before a collective follows the collective before it, if the rank stood still until that
ended; where computing goes on beneath it, it follows the rank's own time before that one. The host launches
one after the other, and begins again where it waited for the device: a rank that waits for others hides how
slow its own host is. A collective begins when the last rank is ready and the one before of the group has
ended. So all ranks form a graph, and it can be replayed with other times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from tbprof.job.arrivals import Arrivals
from tbprof.job.matching import MatchedGroup
from tbprof.job.rank_record import NOT_RECORDED, Int64s, Part, RankRecord
from tbprof.job.replay import Floats, dependency_graph, replay

_STILL = 0.1
"""The share of a collective's time: with less computing during it, a rank stood still."""

_AT_ONCE_NS = 5_000
"""The time from the end of a collective to the start of the next: with less, that one was already there."""


class Held(NamedTuple):
    """How much of one part a stretch holds; a tuple, as `Part` is."""

    ns: int = 0
    kernels: int = 0
    work: int | None = 0
    """None without shapes."""

    def plus(self, other: Held) -> Held:
        work = None if self.work is None or other.work is None else self.work + other.work
        return Held(self.ns + other.ns, self.kernels + other.kernels, work)


NOTHING = Held()

Stretch: TypeAlias = Mapping[Part, Held]


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """The stretches of one matched group."""

    of: tuple[tuple[Stretch, ...], ...]
    """What each rank did since the last level point, without the group's communication, by collective and
    rank."""
    often: tuple[Mapping[Part, float], ...]
    """In how many of its stretches each part is, by rank: as many as would hold equally much."""
    beneath_ns: Int64s
    """What computed beneath each collective, shape (collectives, ranks)."""
    host_ns: Int64s | None
    """What the hosts worked in that time, their waits for the device left out, shape (collectives, ranks).
    None where a rank recorded no host."""
    ends_segment: npt.NDArray[np.bool_]
    """Whether all ranks are level after a collective."""
    is_on_host: bool
    """Whether the hosts computed."""


def stretches_of(group: MatchedGroup, records: Sequence[RankRecord]) -> Stretches:
    """Sum up what ranks did."""
    columns = list(zip((records[rank] for rank in group.ranks), group.at.T, strict=True))
    beneath = np.stack([_beneath(record, at) for record, at in columns], axis=1)
    duration = np.stack([record.duration_ns[at] for record, at in columns], axis=1)
    is_level = np.all(beneath <= _STILL * duration, axis=1) & ~_is_ahead(columns)
    held, often = zip(*(_since_level(record, at, is_level.tolist()) for record, at in columns), strict=True)
    return Stretches(
        of=tuple(zip(*held, strict=True)),
        often=often,
        beneath_ns=beneath,
        host_ns=_host_ns(columns, is_level),
        ends_segment=is_level,
        is_on_host=any(record.is_on_host for record, _ in columns),
    )


def _host_ns(columns: Sequence[tuple[RankRecord, Int64s]], is_level: npt.NDArray[np.bool_]) -> Int64s | None:
    if any((record.launched_ns == NOT_RECORDED).any() for record, _ in columns):
        return None
    worked = np.stack(
        [(record.launched_ns - np.cumsum(record.host_wait_ns))[at] for record, at in columns], axis=1
    )
    begins = np.concatenate(
        [[0], np.flatnonzero(is_level)[:-1] if is_level[-1] else np.flatnonzero(is_level)]
    )
    segment = np.concatenate([[0], np.cumsum(is_level)[:-1]])
    found: Int64s = worked - worked[begins[segment]]
    return found


def _is_ahead(columns: Sequence[tuple[RankRecord, Int64s]]) -> npt.NDArray[np.bool_]:
    """Whether some ranks had nothing left to do when a collective ended, and others had."""
    gaps = np.stack([record.start_ns[at][1:] - record.end_ns[at][:-1] for record, at in columns], axis=1)
    has_work = gaps > _AT_ONCE_NS
    return np.append(has_work.any(axis=1) & ~has_work.all(axis=1), False)


def _of_group(record: RankRecord, group: str) -> Int64s:
    is_mine = np.array([message.group == group for message in record.messages], bool)
    return np.flatnonzero(is_mine[record.message])


def _beneath(record: RankRecord, at: Int64s) -> Int64s:
    """How long each collective was not exposed; of the last one nothing is known."""
    group = record.group(int(at[0]))
    is_own = [part.family == "communication" and part.within == group for part in record.parts]
    exposed = np.concatenate([[0], np.cumsum(np.where(np.array(is_own)[record.part], record.part_ns, 0))])
    mine = _of_group(record, group)
    later = mine[np.minimum(np.searchsorted(mine, at, side="right"), len(mine) - 1)]
    seen = exposed[record.part_begin[later + 1]] - exposed[record.part_begin[later]]
    beneath: Int64s = np.where(later == at, 0, np.maximum(record.duration_ns[at] - seen, 0))
    return beneath


def _since_level(
    record: RankRecord, at: Int64s, is_level: Sequence[bool]
) -> tuple[list[Stretch], Mapping[Part, float]]:
    """What was done up to each of the group's matched collectives, with those between; and `often`."""
    group = record.group(int(at[0]))
    mine = _of_group(record, group).tolist()
    parts, held = record.parts, _held(record)
    begins = record.part_begin.tolist()
    is_own = [part.family == "communication" and part.within == group for part in parts]
    found: list[Stretch] = []
    there: Counter[int] = Counter()
    squares: Counter[int] = Counter()
    # By number until it is whole: to hash a part takes longer than all else here.
    summed: dict[int, Held] = {}
    position = 0
    for index, ends in zip(at.tolist(), is_level, strict=True):
        while position < len(mine) and mine[position] <= index:
            for number, more in held[begins[mine[position]] : begins[mine[position] + 1]]:
                if not is_own[number]:
                    summed[number] = summed[number].plus(more) if number in summed else more
            position += 1
        found.append({parts[number]: some for number, some in summed.items()})
        for number, some in summed.items():
            there[number] += some.ns
            squares[number] += some.ns * some.ns
        if ends:
            summed = {}
    return found, {parts[number]: ns * ns / (squares[number] or 1) for number, ns in there.items()}


def _held(record: RankRecord) -> list[tuple[int, Held]]:
    """Each entry of the record: which part, and how much of it."""
    works = record.part_work.tolist()
    work = [None if one == NOT_RECORDED else one for one in works]
    held = map(Held, record.part_ns.tolist(), record.part_count.tolist(), work)
    return list(zip(record.part.tolist(), held, strict=True))


NEVER = -(1 << 50)
"""A time that decides nothing."""

_NONE_BEFORE = -1


@dataclass(frozen=True, slots=True, eq=False)
class Times:
    """What ranks need before each collective of one group, shape (collectives, ranks), ns."""

    device: Int64s
    """Since the collective before it began, without standing still beneath that one."""
    host: Int64s
    """Between the launches of the two; `NEVER` where the host waited for the device in between."""
    lead: Int64s
    """There, and at a rank's first: how long before the device is ready the host launches it, as a negative
    number; else `NEVER`."""


@dataclass(frozen=True, slots=True, eq=False)
class OwnTimes:
    """The own times of one group."""

    times: Times
    before: Int64s
    """The collective before, counted through all groups; `_NONE_BEFORE` for a rank's first."""


def own_times_of(
    arrivals: Sequence[Arrivals], stretches: Sequence[Stretches], records: Sequence[RankRecord]
) -> tuple[OwnTimes, ...]:
    """The own times of each group."""
    shapes = [one.group.at.shape for one in arrivals]
    columns = [np.empty((4, *shape), np.int64) for shape in shapes]
    begins = np.cumsum([0, *(shape[0] for shape in shapes)])
    for rank, record in enumerate(records):
        groups = [
            (group, one.group.ranks.index(rank))
            for group, one in enumerate(arrivals)
            if rank in one.group.ranks
        ]
        if not groups:
            continue
        at = np.concatenate([arrivals[group].group.at[:, column] for group, column in groups])
        number = np.concatenate([np.arange(begins[group], begins[group + 1]) for group, _ in groups])
        beneath = np.concatenate([stretches[group].beneath_ns[:, column] for group, column in groups])
        of_rank = _of_rank(record, at, number, beneath)
        stops = np.cumsum([shapes[group][0] for group, _ in groups])[:-1]
        for (group, column), some in zip(groups, np.split(of_rank, stops, axis=1), strict=True):
            columns[group][:, :, column] = some
    return tuple(OwnTimes(Times(device, host, lead), before) for device, host, lead, before in columns)


def _of_rank(record: RankRecord, at: Int64s, number: Int64s, beneath: Int64s) -> Int64s:
    """Device, host, lead and the one before, of all collectives of a rank in the order of `at`."""
    order = np.lexsort([number, record.start_ns[at]])
    at = at[order]
    start, end, launched = record.start_ns[at], record.end_ns[at], record.launched_ns[at]
    found = np.full((4, len(at)), NEVER, np.int64)
    found[0] = np.concatenate(
        [
            [start[0] - record.begin_ns],
            np.minimum(beneath[order][:-1] + np.maximum(start[1:] - end[:-1], 0), np.diff(start)),
        ]
    )
    if (launched != NOT_RECORDED).all():
        waits = np.cumsum(record.host_wait_ns)[at]
        waited = np.concatenate([[True], np.diff(waits) > 0])
        found[1] = np.where(waited, NEVER, np.diff(launched, prepend=launched[0]))
        found[2] = np.where(waited, np.minimum(launched - start, 0), NEVER)
    found[3] = np.concatenate([[_NONE_BEFORE], number[order][:-1]])
    in_order = np.empty_like(found)
    in_order[:, order] = found
    return in_order


def collective_ends(
    arrivals: Sequence[Arrivals],
    stretches: Sequence[Stretches],
    own: Sequence[OwnTimes],
    variants: Sequence[Sequence[Times]],
) -> Floats:
    """The ends of all collectives, group after group, for other times of the ranks.

    Args:
        arrivals: Of each group, as the next ones.
        stretches: They say after which collectives ranks had stood still.
        own: They say what came before what.
        variants: Times to use instead, each of all groups.

    Returns:
        Shape (variants, collectives), ns from the beginning.

    Raises:
        JobError: Ranks did collectives in orders that wait for each other.
    """
    is_still = np.concatenate([one.ends_segment for one in stretches])
    if len(arrivals) == 1 and (own[0].before == np.arange(-1, len(is_still) - 1)[:, None]).all():
        return _of_one_group(arrivals[0], is_still.tolist(), [times[0] for times in variants])
    return _of_groups(arrivals, is_still.tolist(), own, variants)


_DEVICE, _HOST, _AGAIN, _READY, _TRANSFER = range(5)
_NODES = 5
"""The operations of one collective on one rank."""


def _waits_for(at: int, before: int | None, in_group: int | None, *, is_still: bool) -> list[list[int]]:
    """What the operations from `at` on wait for, by where those of the collectives before begin."""
    device = [] if before is None else [before + (_TRANSFER if is_still else _READY)]
    host = [] if before is None else [before + _HOST, before + _AGAIN]
    transfer = [at + _READY, *([] if in_group is None else [in_group + _TRANSFER])]
    return [device, host, [at + _DEVICE], [at + _DEVICE, at + _HOST, at + _AGAIN], transfer]


def _of_one_group(arrivals: Arrivals, is_still: Sequence[bool], variants: Sequence[Times]) -> Floats:
    """All ranks do the same: they are the replicas of one graph."""
    after: list[list[int]] = []
    for number in range(len(is_still)):
        before = None if number == 0 else len(after) - _NODES
        after += _waits_for(len(after), before, before, is_still=is_still[number - 1])
    transfers = range(_TRANSFER, len(after), _NODES)
    graph = dependency_graph(after, [[one] for one in transfers], frozenset(transfers))
    duration = np.zeros((len(after), len(arrivals.group.ranks), len(variants)))
    duration[_DEVICE::_NODES] = np.stack([one.device for one in variants], axis=2)
    duration[_HOST::_NODES] = np.stack([one.host for one in variants], axis=2)
    duration[_AGAIN::_NODES] = np.stack([one.lead for one in variants], axis=2)
    duration[_TRANSFER::_NODES] = arrivals.transfer_ns[:, :, None]
    ends: Floats = replay(graph, duration).end[_TRANSFER::_NODES].max(axis=1).T
    return ends


def _of_groups(
    arrivals: Sequence[Arrivals],
    is_still: Sequence[bool],
    own: Sequence[OwnTimes],
    variants: Sequence[Sequence[Times]],
) -> Floats:
    entries = [
        (group, index, column, rank)
        for group, one in enumerate(arrivals)
        for index in range(len(one.group.at))
        for column, rank in enumerate(one.group.ranks)
    ]
    begins = np.cumsum([0, *(len(one.group.at) for one in arrivals)]).tolist()
    node = {(begins[group] + index, rank): _NODES * at for at, (group, index, _, rank) in enumerate(entries)}
    after: list[list[int]] = []
    units: dict[int, list[int]] = {}
    duration = np.zeros((_NODES * len(entries), 1, len(variants)))
    for group, index, column, rank in entries:
        at, number = len(after), begins[group] + index
        before = int(own[group].before[index, column])
        after += _waits_for(
            at,
            None if before == _NONE_BEFORE else node[before, rank],
            node[number - 1, rank] if index else None,
            is_still=is_still[before],
        )
        units.setdefault(number, []).append(at + _TRANSFER)
        for variant, groups in enumerate(variants):
            times = groups[group]
            three = (times.device[index, column], times.host[index, column], times.lead[index, column])
            duration[at : at + 3, 0, variant] = three
        duration[at + _TRANSFER] = arrivals[group].transfer_ns[index, column]
    ends = replay(dependency_graph(after, list(units.values())), duration).end[:, 0]
    found: Floats = np.stack([ends[unit].max(axis=0) for unit in units.values()], axis=1)
    return found
