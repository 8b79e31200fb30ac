"""The collectives of the ranks, matched with each other.

By sequence number where all recorded it; else in their order, where windows begin at different collectives
shifted by the longest common run of kinds and bytes; else the k-th with the same kind and bytes; else around
those that are missing, by steps, kinds and bytes. What is not unique is not matched, and a rank with which
fewer could be matched than without it is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from tbprof.job.aligning import MISSING, Sequenced, common_shift, place_in, rest_of
from tbprof.job.rank_record import NOT_RECORDED, Int64s, RankRecord

_PEERS = {"send": "send or receive", "recv": "send or receive"}
"""The two ends of a transfer are one collective of two ranks."""


@dataclass(frozen=True, slots=True, eq=False)
class MatchedGroup:
    """Collectives that all ranks of a group did."""

    group: str
    ranks: tuple[int, ...]
    """Positions in the list of records, not numbers of ranks."""
    at: Int64s
    """Shape (collectives, ranks): the index in each record, ascending."""
    how: How
    absent: int
    """Ranks of the group of which there is no record."""


@dataclass(frozen=True, slots=True)
class Unmatched:
    """Collectives of a group that could not be matched, counted on all ranks, or on the one left out."""

    group: str
    reason: Reason
    count: int
    rank: int | None = None
    """Position in the list of records of one that is left out."""
    of: int = 0
    """How many the others of that group did."""


@dataclass(frozen=True, slots=True, eq=False)
class Matching:
    groups: tuple[MatchedGroup, ...]
    unmatched: tuple[Unmatched, ...]
    longest_count: int = 0
    """The most collectives that any rank recorded, over all groups of several ranks."""

    @property
    def matched_count(self) -> int:
        return sum(len(group.at) for group in self.groups)

    @property
    def unmatched_count(self) -> int:
        return sum(one.count for one in self.unmatched)

    @property
    def ranks(self) -> frozenset[int]:
        """Positions of those that share a matched collective with another."""
        return frozenset(rank for group in self.groups for rank in group.ranks)


def match_ranks(records: Sequence[RankRecord]) -> Matching:
    """Match the collectives of all ranks, group by group."""
    names = sorted({message.group for record in records for message in record.messages})
    groups: list[MatchedGroup] = []
    unmatched: list[Unmatched] = []
    for name in names:
        for found in _match_group(name, records):
            if isinstance(found, Unmatched):
                unmatched.append(found)
            else:
                groups.append(found)
    return Matching(tuple(groups), tuple(unmatched), sum(_longest(name, records) for name in names))


def _longest(name: str, records: Sequence[RankRecord]) -> int:
    counts = sorted(len(_of_group(record, name)) for record in records)
    return counts[-1] if len(counts) > 1 and counts[-2] else 0


def _match_group(name: str, records: Sequence[RankRecord]) -> Iterator[MatchedGroup | Unmatched]:
    own = [_of_group(record, name) for record in records]
    ranks = tuple(at for at, mine in enumerate(own) if len(mine))
    own = [own[at] for at in ranks]
    total = sum(len(mine) for mine in own)
    if total == 0:
        return
    if len(ranks) < 2:
        yield Unmatched(name, "one_rank", total)
        return
    members = [records[at] for at in ranks]
    codes = _codes(members, own)
    columns = zip(members, own, codes, strict=True)
    found = partners_of(
        [
            Sequenced(record.number[mine], code, record.step[mine], record.is_cut)
            for record, mine, code in columns
        ],
        has_transfers=any(one.group == name and one.kind in _PEERS for one in members[0].messages),
    )
    if found is None or not found.at.size:
        yield Unmatched(name, "ambiguous" if found is None else found.rest, total)
        return
    for column in sorted(set(range(len(ranks))) - set(found.kept)):
        if column in found.differing:
            yield Unmatched(name, "different_kinds", len(own[column]))
        else:
            yield Unmatched(name, "left_out", len(own[column]), ranks[column], found.longest)
    kept = [codes[column][found.at[:, at]] for at, column in enumerate(found.kept)]
    is_same = (np.stack(kept, axis=1) == kept[0][:, None]).all(axis=1)
    if not is_same.all():
        yield Unmatched(name, "different_kinds", int((~is_same).sum()) * len(found.kept))
    if rest := sum(len(own[column]) for column in found.kept) - found.at.size:
        yield Unmatched(name, found.rest, rest)
    matched = np.stack([own[at][found.at[is_same, nth]] for nth, at in enumerate(found.kept)], axis=1)
    if len(matched):
        kept_ranks = tuple(ranks[column] for column in found.kept)
        yield MatchedGroup(name, kept_ranks, matched, found.how, _absent(name, records, len(kept_ranks)))


def _of_group(record: RankRecord, name: str) -> Int64s:
    is_mine = np.array([message.group == name for message in record.messages], bool)
    return np.flatnonzero(is_mine[record.message]) if len(record.message) else np.empty(0, np.int64)


def _codes(records: Sequence[RankRecord], own: Sequence[Int64s]) -> list[Int64s]:
    """A number for each collective that is the same for the same kind and bytes."""
    known: dict[tuple[str, int | None], int] = {}
    codes = []
    for record, mine in zip(records, own, strict=True):
        names = ((_PEERS.get(one.kind, one.kind), one.bytes) for one in record.messages)
        of_message = [known.setdefault(name, len(known)) for name in names]
        codes.append(np.array(of_message, np.int64)[record.message[mine]])
    return codes


def _absent(name: str, records: Sequence[RankRecord], present: int) -> int:
    sizes = [one.group_size for record in records for one in record.messages if one.group == name]
    known = [size for size in sizes if size is not None]
    return max(max(known, default=present) - present, 0)


How: TypeAlias = Literal["number", "order", "shifted"]
Reason: TypeAlias = Literal["one_rank", "not_on_all_ranks", "different_kinds", "ambiguous", "left_out"]


@dataclass(frozen=True, slots=True, eq=False)
class Partners:
    at: Int64s
    """Shape (collectives, kept ranks)."""
    kept: tuple[int, ...]
    how: How
    rest: Reason
    """Why others have no partner."""
    longest: int
    """How many the group did, by those that recorded most."""
    differing: frozenset[int] = frozenset()
    """The other ranks that did something else in the same place."""


def partners_of(sequences: Sequence[Sequenced], *, has_transfers: bool) -> Partners | None:
    """The collectives of each rank in a group that are the same.

    Args:
        sequences: One entry a rank, with at least one collective each.
        has_transfers: Whether some are sends or receives: each has other two ranks, so that equal
            sequences need not be those of partners.
    """
    numbers = [one.number for one in sequences]
    if all((number != NOT_RECORDED).all() for number in numbers):
        return _by_number(numbers)
    whole = _whole([one.code for one in sequences])
    if whole is not None:
        return whole
    return None if has_transfers and len(sequences) > 2 else _aligned(sequences)


def _whole(codes: Sequence[Int64s]) -> Partners | None:
    """The partners of ranks that recorded equally many."""
    every = tuple(range(len(codes)))
    if all(np.array_equal(codes[0], code) for code in codes):
        at = np.repeat(np.arange(len(codes[0]))[:, None], len(codes), axis=1)
        return Partners(at, every, "order", "not_on_all_ranks", len(at))
    shifted = _by_shift(codes)
    if shifted is not None and _is_same(codes, shifted) and len({len(code) for code in codes}) == 1:
        return Partners(shifted, every, "shifted", "not_on_all_ranks", len(codes[0]))
    most = max(int(code.max()) for code in codes) + 1
    if len({tuple(np.bincount(code, minlength=most).tolist()) for code in codes}) == 1:
        at = np.stack([_kth_of_same(code) for code in codes], axis=1)
        return Partners(at, every, "order", "not_on_all_ranks", len(at))
    return None


def _by_number(numbers: Sequence[Int64s]) -> Partners:
    """Collectives that were recorded as one have one number: the k-th of it is meant."""
    distinct = [number * (1 << 20) + _occurrence(number) for number in numbers]
    every = np.unique(np.concatenate(distinct))
    place = np.full((len(numbers), len(every)), MISSING, np.int64)
    for row, number in zip(place, distinct, strict=True):
        row[np.searchsorted(every, number)] = np.arange(len(number))
    at, kept = _most_complete(place)
    return Partners(at, kept, "number", "not_on_all_ranks", max(map(len, numbers)))


def _aligned(sequences: Sequence[Sequenced]) -> Partners:
    """Each with the sequence that most ranks have, of several the longest."""
    often = Counter(one.token.tobytes() for one in sequences)
    reference = max(sequences, key=lambda one: (often[one.token.tobytes()], len(one.token)))
    known: dict[tuple[bytes, bool], Int64s] = {}
    for one in sequences:
        key = one.token.tobytes(), one.is_cut
        if key not in known:
            known[key] = place_in(reference, one)
    place = np.stack([known[one.token.tobytes(), one.is_cut] for one in sequences])
    at, kept = _most_complete(place)
    rests = [rest_of(reference.code, one.code, mine) for one, mine in zip(sequences, place, strict=True)]
    differing = frozenset(column for column, one in enumerate(rests) if one.differs)
    rest: Reason = "not_on_all_ranks"
    if differing & set(kept):
        rest = "different_kinds"
    elif any(rests[column].is_ambiguous for column in kept):
        rest = "ambiguous"
    return Partners(at, kept, "shifted", rest, max(len(one.code) for one in sequences), differing)


def _most_complete(place: Int64s) -> tuple[Int64s, tuple[int, ...]]:
    """More than half of the ranks, all where that matches as many rows, and where what all of them have is.

    Args:
        place: Shape (ranks, collectives): where a rank has one, or `MISSING`.
    """
    is_there = place != MISSING
    order = np.argsort(-is_there.sum(axis=1), kind="stable")
    in_all = np.logical_and.accumulate(is_there[order], axis=0)
    ranks = np.arange(1, len(place) + 1)
    rows = np.where(2 * ranks > np.maximum(len(place), 3), in_all.sum(axis=1) * ranks, -1)
    most = int(np.flatnonzero(rows == rows.max())[-1]) if len(place) > 2 else len(place) - 1
    kept = np.sort(order[: most + 1])
    return place[kept][:, in_all[most]].T, tuple(kept.tolist())


def _by_shift(codes: Sequence[Int64s]) -> Int64s | None:
    shifts = [common_shift(codes[0], code) for code in codes]
    known = [shift for shift in shifts if shift is not None]
    if len(known) < len(codes):
        return None
    begin = max(-shift for shift in known)
    end = min(len(code) - shift for code, shift in zip(codes, known, strict=True))
    return np.stack([np.arange(begin, end) + shift for shift in known], axis=1) if end > begin else None


def _is_same(codes: Sequence[Int64s], at: Int64s) -> bool:
    return all(bool((code[at[:, column]] == codes[0][at[:, 0]]).all()) for column, code in enumerate(codes))


def _kth_of_same(code: Int64s) -> Int64s:
    """Positions ordered by code, then by time: the same in all ranks."""
    return np.argsort(code, kind="stable")


def _occurrence(values: Int64s) -> Int64s:
    """The number of equal entries before each one."""
    order = np.argsort(values, kind="stable")
    _, first, counts = np.unique(values[order], return_index=True, return_counts=True)
    found = np.empty(len(values), np.int64)
    found[order] = np.arange(len(values)) - np.repeat(first, counts)
    return found
