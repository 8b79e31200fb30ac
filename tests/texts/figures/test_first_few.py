"""A list names a few and counts the others."""

from __future__ import annotations

import pytest

from tbprof.texts.figures.quantities import first_few


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([], ""),
        (["rank 0"], "rank 0"),
        (["rank 0", "rank 1"], "rank 0, rank 1"),
        (["rank 0", "rank 1", "rank 2"], "rank 0, rank 1 and 1 more"),
        (range(1003), "0, 1 and 1,001 more"),
    ],
)
def test_of_many_the_first_few_are_named(names: list[object], expected: str) -> None:
    assert first_few(names, 2) == expected
