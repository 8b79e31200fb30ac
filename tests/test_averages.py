"""Averages are those of the standard library."""

from __future__ import annotations

import statistics

import pytest

from tbprof.averages import fmean, median


@pytest.mark.parametrize("values", [[3], [3, 1], [0.1, 0.7, 0.2], [1e16, 1.0, -1e16, 5]])
def test_they_are_those_of_statistics(values: list[float]) -> None:
    assert fmean(iter(values)) == statistics.fmean(values)
    assert median(iter(values)) == statistics.median(values)
