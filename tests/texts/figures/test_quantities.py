"""Figures as people read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbprof.texts.figures.quantities import count, duration, mean, milliseconds, share, size

NARROW = "\u202f"


@pytest.mark.parametrize(
    ("us", "text"),
    [
        (0, "0 ms"),
        (0.4, "<1 µs"),
        (1, "1 µs"),
        (99.4, "99 µs"),
        (100, "0.1 ms"),
        (55_300, "55.3 ms"),
        (999_900, "999.9 ms"),
        (1_000_000, "1,000 ms"),
        (9_999_000, "9,999 ms"),
        (10_000_000, "10.0 s"),
        (3_600_000_000, "3600.0 s"),
    ],
)
def test_a_duration_has_the_unit_that_fits(us: float, text: str) -> None:
    assert duration(us) == text.replace(" ", NARROW)


@pytest.mark.parametrize(("us", "text"), [(0, "0"), (99, "<0.1"), (100, "0.1"), (1_234_567, "1,235")])
def test_milliseconds_stand_under_a_head_that_says_so(us: float, text: str) -> None:
    assert milliseconds(us) == text


@pytest.mark.parametrize(
    ("part", "text"),
    [(0, "0 %"), (0.0005, "<0.1 %"), (0.001, "0.1 %"), (0.0949, "9.5 %"), (0.1, "10 %"), (1, "100 %")],
)
def test_a_share_is_in_percent(part: float, text: str) -> None:
    assert share(part) == text.replace(" ", NARROW)


@pytest.mark.parametrize(
    ("size_bytes", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (65_536, "65.5 kB"),
        (2_500_000, "2.5 MB"),
        (10**9, "1.0 GB"),
        (10**15, "1,000 TB"),
    ],
)
def test_sizes_are_decimal(size_bytes: int, text: str) -> None:
    assert size(size_bytes) == text.replace(" ", NARROW)


def test_a_count_agrees_with_its_noun() -> None:
    assert count(1, "sync point") == "1 sync point"
    assert count(0, "sync point") == "0 sync points"
    assert count(1200, "copy", "copies") == "1,200 copies"


def test_a_mean_of_counts_is_whole_where_it_is_whole() -> None:
    assert (mean(60.0), mean(2513.0), mean(302.5)) == ("60", "2,513", "302.5")


@given(st.floats(min_value=0, max_value=1e15))
def test_only_a_true_zero_reads_as_zero(value: float) -> None:
    for text in (duration(value), milliseconds(value), share(value)):
        assert text.startswith("0.0") is False
        assert (text.split(NARROW)[0] == "0") == (value == 0)
