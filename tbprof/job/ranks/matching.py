"""Which collective of one rank is which of another.

By sequence number where all recorded it; else in their order, where windows begin at different collectives
shifted by the longest common run of kinds and bytes; else the k-th with the same kind and bytes; else around
those that are missing, by steps, kinds and bytes. What is not unique is not matched, and a rank with which
fewer could be matched than without it is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tbprof.job.ranks.aligning import Sequenced
from tbprof.job.ranks.partners import How, Reason, partners_of
from tbprof.job.ranks.rank_record import Int64s, RankRecord

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
    """Of all groups of several ranks, what those did that recorded most."""

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
    """Of each collective a number that is the same for the same kind and bytes."""
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
