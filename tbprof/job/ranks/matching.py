"""Which collective of one rank is which of another.

By sequence number where all recorded it; else in their order, where windows begin at different collectives
shifted by the longest common run of kinds and bytes; else the k-th with the same kind and bytes. What is not
unique is not matched.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from tbprof.job.ranks.rank_record import NOT_RECORDED, Int64s, RankRecord
from tbprof.job.ranks.shifting import common_shift

__all__ = ["How", "MatchedGroup", "Matching", "Reason", "Unmatched", "match_ranks"]

How: TypeAlias = Literal["number", "order", "shifted"]
Reason: TypeAlias = Literal["one_rank", "not_on_all_ranks", "different_kinds", "ambiguous"]

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
    """Collectives of a group that could not be matched, counted on all ranks."""

    group: str
    reason: Reason
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class Matching:
    groups: tuple[MatchedGroup, ...]
    unmatched: tuple[Unmatched, ...]

    @property
    def matched_count(self) -> int:
        return sum(len(group.at) for group in self.groups)

    @property
    def unmatched_count(self) -> int:
        return sum(one.count for one in self.unmatched)


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
    return Matching(tuple(groups), tuple(unmatched))


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
    codes = _codes([records[at] for at in ranks], own)
    numbers = [records[at].number[mine] for at, mine in zip(ranks, own, strict=True)]
    if all((number != NOT_RECORDED).all() for number in numbers):
        found: tuple[Int64s | None, How, Reason] = (_by_number(numbers), "number", "not_on_all_ranks")
    else:
        found = _by_order(codes)
    at, how, lost = found
    if at is None:
        yield Unmatched(name, lost, total)
        return
    code = np.stack([one[at[:, column]] for column, one in enumerate(codes)], axis=1)
    is_same = (code == code[:, :1]).all(axis=1)
    if not is_same.all():
        yield Unmatched(name, "different_kinds", int((~is_same).sum()) * len(ranks))
    if rest := total - at.size:
        yield Unmatched(name, "not_on_all_ranks", rest)
    matched = np.stack([mine[at[is_same, column]] for column, mine in enumerate(own)], axis=1)
    if len(matched):
        yield MatchedGroup(name, ranks, matched, how, _absent(name, records, len(ranks)))


def _of_group(record: RankRecord, name: str) -> Int64s:
    is_mine = np.array([message.group == name for message in record.messages], bool)
    return np.flatnonzero(is_mine[record.message]) if len(record.message) else np.empty(0, np.int64)


def _codes(records: Sequence[RankRecord], own: Sequence[Int64s]) -> list[Int64s]:
    """Of each collective a number that is the same for the same kind and bytes."""
    known: dict[tuple[str, int | None], int] = {}
    codes = []
    for record, mine in zip(records, own, strict=True):
        names = ((_PEERS.get(one.kind, one.kind), one.bytes) for one in record.messages)
        of_message = [known.setdefault(name, len(known)) for name in names]
        codes.append(np.array(of_message, np.int64)[record.message[mine]])
    return codes


def _by_number(numbers: Sequence[Int64s]) -> Int64s:
    """Collectives that were recorded as one have one number: the k-th of it is meant."""
    distinct = [number * (1 << 20) + _occurrence(number) for number in numbers]
    common = distinct[0]
    for number in distinct[1:]:
        common = np.intersect1d(common, number)
    columns = []
    for number in distinct:
        order = np.argsort(number, kind="stable")
        columns.append(order[np.searchsorted(number[order], common)])
    return np.stack(columns, axis=1)


def _by_order(codes: Sequence[Int64s]) -> tuple[Int64s | None, How, Reason]:
    shifted = _by_shift(codes)
    if shifted is not None and _is_same(codes, shifted):
        is_whole = all(len(code) == len(shifted) for code in codes)
        return shifted, "order" if is_whole else "shifted", "ambiguous"
    most = max(int(code.max()) for code in codes) + 1
    if len({tuple(np.bincount(code, minlength=most).tolist()) for code in codes}) == 1:
        return np.stack([_kth_of_same(code) for code in codes], axis=1), "order", "ambiguous"
    has_one_length = len({len(code) for code in codes}) == 1
    return shifted, "shifted", "different_kinds" if has_one_length else "ambiguous"


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
    """Of each entry, how many equal ones came before."""
    order = np.argsort(values, kind="stable")
    _, first, counts = np.unique(values[order], return_index=True, return_counts=True)
    found = np.empty(len(values), np.int64)
    found[order] = np.arange(len(values)) - np.repeat(first, counts)
    return found


def _absent(name: str, records: Sequence[RankRecord], present: int) -> int:
    sizes = [one.group_size for record in records for one in record.messages if one.group == name]
    known = [size for size in sizes if size is not None]
    return max(max(known, default=present) - present, 0)
