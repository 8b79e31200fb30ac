"""Python's numbers become the same arrays as numpy would make of them."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from tbprof.trace.importers.kineto.events.times import packed


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.int32, np.int8])
def test_numbers_become_an_array_of_their_type(dtype: type[np.int64]) -> None:
    array = packed([3, -1, 127], dtype)
    assert array.dtype == dtype
    assert array.tolist() == [3, -1, 127]
    assert packed([], dtype).tolist() == []


def test_fractions_and_decimals_become_floats() -> None:
    assert packed([1.5, 2, Decimal("0.25")], np.float64).tolist() == [1.5, 2.0, 0.25]


@pytest.mark.parametrize("value", ["7", None, 2**63, 1.5])
def test_what_is_no_integer_of_64_bits_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"not an integer|out of range"):
        packed([1, value], np.int64)


@pytest.mark.parametrize("value", ["7", None, 10**400])
def test_what_is_no_float_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="not a float"):
        packed([1, value], np.float64)
