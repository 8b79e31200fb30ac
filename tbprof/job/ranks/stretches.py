"""What ranks did since they last were level, at each of their collectives.

Ranks are level where all stand still until a collective ends: from there each has a stretch of its own to the
next. Where computing goes on beneath a collective, as in DDP's backward pass, who waited is ahead with the
next one; then only all that was done since the last level point can be compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from tbprof.job.ranks.matching import MatchedGroup
from tbprof.job.ranks.rank_record import NOT_RECORDED, Int64s, Part, RankRecord

_STILL = 0.1
"""Of a collective's time: with less computing beneath it, a rank stood still."""

_AT_ONCE_NS = 5_000
"""From the end of a collective to the start of the next: with less, that one was already there."""


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
    """Of one matched group."""

    of: tuple[tuple[Stretch, ...], ...]
    """By collective and rank, what was done since the last level point, without the group's communication."""
    often: tuple[Mapping[Part, int], ...]
    """By rank, in how many of its stretches each part is."""
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
) -> tuple[list[Stretch], Mapping[Part, int]]:
    """What was done up to each of the group's matched collectives, with those between; and `often`."""
    group = record.group(int(at[0]))
    mine = _of_group(record, group).tolist()
    parts, held = record.parts, _held(record)
    begins = record.part_begin.tolist()
    is_own = [part.family == "communication" and part.within == group for part in parts]
    found: list[Stretch] = []
    there: list[int] = []
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
        there += summed
        if ends:
            summed = {}
    return found, {parts[number]: count for number, count in Counter(there).items()}


def _held(record: RankRecord) -> list[tuple[int, Held]]:
    """Each entry of the record: which part, and how much of it."""
    works = record.part_work.tolist()
    work = [None if one == NOT_RECORDED else one for one in works]
    held = map(Held, record.part_ns.tolist(), record.part_count.tolist(), work)
    return list(zip(record.part.tolist(), held, strict=True))
