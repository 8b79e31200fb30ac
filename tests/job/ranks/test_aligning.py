"""Sequences of which entries are missing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tbprof.job.aligning import Sequenced, certain_pairs, place_in, rest_of
from tbprof.job.rank_record import NOT_RECORDED


def numbered(codes: Sequence[int], steps: Sequence[int] = (), *, is_cut: bool = False) -> Sequenced:
    return Sequenced(
        np.full(len(codes), NOT_RECORDED), np.array(codes), np.array(steps or [0] * len(codes)), is_cut
    )


@pytest.mark.parametrize(
    ("first", "second", "pairs"),
    [
        ([1, 2, 3, 1], [1, 2, 1], [(0, 0), (1, 1), (3, 2)]),
        ([1, 2, 3], [4, 5], []),
        # Either of two equal ones may be the one that is there.
        ([1, 2, 2, 3], [1, 2, 3], [(0, 0), (3, 2)]),
    ],
)
def test_what_every_longest_common_subsequence_pairs(
    first: list[int], second: list[int], pairs: list[tuple[int, int]]
) -> None:
    at, mine = certain_pairs(np.array(first), np.array(second))
    assert list(zip(at.tolist(), mine.tolist(), strict=True)) == pairs


def test_of_equal_ones_steps_tell_which_are_missing() -> None:
    place = place_in(numbered([7] * 6, [3, 3, 4, 4, 5, 5]), numbered([7] * 4, [3, 3, 4, 4]))
    assert place.tolist() == [0, 1, 2, 3, -1, -1]


def test_of_equal_ones_in_one_step_only_a_cut_trace_tells() -> None:
    whole = numbered([7, 7, 7])
    assert place_in(whole, numbered([7, 7])).tolist() == [-1, -1, -1]
    assert place_in(whole, numbered([7, 7], is_cut=True)).tolist() == [0, 1, -1]


def test_what_shares_less_than_half_does_not_fit() -> None:
    assert place_in(numbered([1, 2, 3, 4]), numbered([9, 2, 8, 7])).tolist() == [-1] * 4


@pytest.mark.parametrize(
    ("own", "place", "differs", "is_ambiguous"),
    [
        ([1, 3], [0, -1, 1], False, False),
        ([1, 9, 3], [0, -1, 2], True, False),
        ([1, 2, 2, 3], [0, -1, 3], False, True),
    ],
)
def test_a_missing_one_is_not_a_different_one(
    own: list[int], place: list[int], differs: bool, is_ambiguous: bool
) -> None:
    rest = rest_of(np.array([1, 2, 3]), np.array(own), np.array(place))
    assert (rest.differs, rest.is_ambiguous) == (differs, is_ambiguous)
