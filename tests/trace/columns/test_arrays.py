"""Values are found by their keys as in a dictionary."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tbprof.trace.columns.arrays import NONE, find_sorted, lookup

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
