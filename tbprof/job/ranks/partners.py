"""Which collectives of the ranks of one group are partners."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from tbprof.job.ranks.aligning import MISSING, Sequenced, place_in, rest_of
from tbprof.job.ranks.rank_record import NOT_RECORDED, Int64s
from tbprof.job.ranks.shifting import common_shift

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
    """Those of the others that did something else in the same place."""


def partners_of(sequences: Sequence[Sequenced], *, has_transfers: bool) -> Partners | None:
    """Of each rank's collectives in a group, which are the same.

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
    """Of ranks that recorded equally many."""
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
    """Of each entry, how many equal ones came before."""
    order = np.argsort(values, kind="stable")
    _, first, counts = np.unique(values[order], return_index=True, return_counts=True)
    found = np.empty(len(values), np.int64)
    found[order] = np.arange(len(values)) - np.repeat(first, counts)
    return found
