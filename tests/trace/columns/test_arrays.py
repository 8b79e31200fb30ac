"""Values are found by their keys as in a dictionary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbprof.trace.columns.arrays import (
    NONE,
    distinct,
    distinct_places,
    find_sorted,
    is_among,
    lookup,
    median,
    percentile,
)

NUMBERS = st.lists(st.integers(-1, 12), max_size=12)


@given(NUMBERS, NUMBERS)
def test_of_equal_keys_the_first_counts(keys: list[int], wanted: list[int]) -> None:
    held: dict[int, int] = {}
    for at, key in enumerate(keys):
        held.setdefault(key, 100 + at)
    values = np.arange(100, 100 + len(keys))

    found = lookup(np.array(keys, np.int64), values, np.array(wanted, np.int64))

    assert found.tolist() == [held.get(key, NONE) for key in wanted]


@given(NUMBERS, NUMBERS)
def test_what_is_found_among_sorted_keys_stands_there(keys: list[int], wanted: list[int]) -> None:
    held = np.array(sorted(keys), np.int64)

    at, hit = find_sorted(held, np.array(wanted, np.int64))

    assert hit.tolist() == [key in keys for key in wanted]
    assert held[at[hit]].tolist() == [key for key in wanted if key in keys]


FAR_APART = st.lists(st.sampled_from((*range(-3, 12), 2**40, -(2**62), 2**62)), max_size=30)


@given(FAR_APART, FAR_APART)
def test_what_is_wanted_is_told_however_many_and_however_far_apart(
    values: list[int], wanted: list[int]
) -> None:
    assert is_among(np.array(values, np.int64), wanted).tolist() == [value in wanted for value in values]


COLUMNS = (
    st.lists(st.integers(-128, 127)).map(lambda values: np.array(values, np.int8))
    | FAR_APART.map(lambda values: np.array(values, np.int64))
    | st.lists(st.floats(-1, 1)).map(lambda values: np.array(values, np.float64))
)


@given(COLUMNS)
def test_the_distinct_ones_are_those_of_numpy(values: np.ndarray) -> None:
    wanted, places = np.unique(values, return_inverse=True)

    found, which = distinct_places(values)

    assert (found.tolist(), which.tolist()) == (wanted.tolist(), places.tolist())
    assert distinct(values).tolist() == wanted.tolist()
    assert found.dtype == distinct(values).dtype == values.dtype


SOME = st.lists(st.integers(-100, 100), min_size=1) | st.lists(st.floats(-1, 1), min_size=1)


@given(SOME, st.integers(0, 100))
def test_percentiles_are_those_of_numpy(values: list[float], percent: int) -> None:
    assert percentile(np.array(values), percent) == pytest.approx(np.percentile(values, percent))
    assert median(np.array(values)) == pytest.approx(np.median(values))
