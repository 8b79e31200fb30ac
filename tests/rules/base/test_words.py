"""Numbers of a sentence as words."""

from __future__ import annotations

import pytest

from tbprof.rules.base.words import about


@pytest.mark.parametrize(
    ("value", "words"),
    [(1, "1"), (3.7, "about 4"), (4.0, "4"), (0.5, "0.5"), (8716, "8,716"), (739.5, "about 740")],
)
def test_a_mean_of_counts_is_a_whole_number(value: float, words: str) -> None:
    assert about(value) == words
