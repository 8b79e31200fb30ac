"""Sequences of collectives of two ranks, laid over each other."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tbprof.job.rank_record import Int64s

MISSING = -1
"""In place of a position: there is none."""


@dataclass(frozen=True, slots=True, eq=False)
class Sequenced:
    """The collectives of one rank in a group."""

    number: Int64s
    """The sequence number, or `NOT_RECORDED`."""
    code: Int64s
    """The same number for the same kind and bytes."""
    step: Int64s
    is_cut: bool
    """Whether its trace ends early."""

    @property
    def token(self) -> Int64s:
        token: Int64s = self.step * (1 << 20) + self.code
        return token


@dataclass(frozen=True, slots=True)
class Rest:
    """What of two aligned sequences has no partner."""

    differs: bool
    """Each has something in one place that the other does not have there."""
    is_ambiguous: bool
    """Each has equal ones in one place, and not equally many."""


def place_in(reference: Sequenced, own: Sequenced) -> Int64s:
    """The place in `own` of each entry of the reference; `MISSING` where it is not there, or nothing tells.

    A sequence of which no more than half of the shorter one is found in the other does not fit at all.
    """
    place = np.full(len(reference.code), MISSING, np.int64)
    count = len(own.code)
    if own.is_cut and np.array_equal(own.token, reference.token[:count]):
        place[:count] = np.arange(count)
        return place
    shift = common_shift(reference.code, own.code)
    if shift is not None:
        at = np.arange(max(0, -shift), min(len(place), count - shift))
        if np.array_equal(reference.code[at], own.code[at + shift]):
            place[at] = at + shift
            return place
    for first, second in ((reference.token, own.token), (reference.code, own.code)):
        at, mine = certain_pairs(first, second)
        if 2 * len(at) > min(len(first), len(second)):
            place[at] = mine
            return place
    return place


def certain_pairs(first: Int64s, second: Int64s) -> tuple[Int64s, Int64s]:
    """Positions that every longest common subsequence of two sequences pairs."""
    is_equal = first[:, None] == second
    before = _longest_common(is_equal)[:-1, :-1] + is_equal
    after = _longest_common(is_equal[::-1, ::-1])[::-1, ::-1][1:, 1:]
    on_a_longest = is_equal & (before + after == (before + after)[is_equal].max(initial=0))
    at, mine = np.nonzero(on_a_longest)
    rank = before[at, mine]
    is_alone = np.bincount(rank, minlength=1)[rank] == 1
    return at[is_alone], mine[is_alone]


def _longest_common(is_equal: npt.NDArray[np.bool_]) -> Int64s:
    """Length for each pair of beginnings, with a row and a column of empty ones."""
    rows, columns = is_equal.shape
    length = np.zeros((rows + 1, columns + 1), np.int64)
    for row in range(rows):
        with_pair = length[row, :-1] + is_equal[row]
        np.maximum.accumulate(np.maximum(length[row, 1:], with_pair), out=length[row + 1, 1:])
    return length


def rest_of(reference: Int64s, own: Int64s, place: Int64s) -> Rest:
    """What stands between the pairs of two sequences of codes."""
    at = np.flatnonzero(place != MISSING)
    edges = zip([-1, *at.tolist()], [*at.tolist(), len(reference)], strict=True)
    own_edges = zip([-1, *place[at].tolist()], [*place[at].tolist(), len(own)], strict=True)
    differs = is_ambiguous = False
    for (begin, end), (own_begin, own_end) in zip(edges, own_edges, strict=True):
        theirs = Counter(reference[begin + 1 : end].tolist())
        mine = Counter(own[own_begin + 1 : own_end].tolist())
        differs |= bool(theirs - mine) and bool(mine - theirs)
        is_ambiguous |= bool(theirs & mine)
    return Rest(differs, is_ambiguous)


def common_shift(first: Int64s, second: Int64s) -> int | None:
    """What to add to a position in `first` to be at the same collective in `second`.

    That of the longest run of equal entries. None where two shifts have runs of that length, or none has
    more than half of the shorter sequence: then the windows may hold different things.
    """
    if np.array_equal(first, second):
        return 0
    longest: dict[int, int] = {}
    for shift in range(1 - len(first), len(second)):
        begin, end = max(0, -shift), min(len(first), len(second) - shift)
        longest[shift] = _longest_run(first[begin:end] == second[begin + shift : end + shift])
    best = max(longest.values(), default=0)
    shifts = [shift for shift, run in longest.items() if run == best]
    return shifts[0] if len(shifts) == 1 and 2 * best > min(len(first), len(second)) else None


def _longest_run(is_equal: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> int:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], is_equal, [False]])))
    return int((edges[1::2] - edges[::2]).max(initial=0))
