"""Things that are told apart by several columns together."""

from __future__ import annotations

import numpy as np
import pytest

from tbprof.analysis.intervals import distinct_lines


@pytest.mark.parametrize("count", [0, 1, 200])
@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_as_numpy_says(count: int, dtype: type[np.int64] | type[np.float64]) -> None:
    lines = np.random.default_rng(0).integers(-1, 4, (count, 3)).astype(dtype)
    expected, which_expected = np.unique(lines, axis=0, return_inverse=True)
    distinct, which = distinct_lines(lines)
    np.testing.assert_array_equal(distinct, expected)
    np.testing.assert_array_equal(which, which_expected.reshape(-1))
