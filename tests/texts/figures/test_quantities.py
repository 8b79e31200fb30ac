"""Figures as people read them."""

from __future__ import annotations

import re

import pytest
from figures import TABLE, figures, written
from hypothesis import example, given
from hypothesis import strategies as st

from tbprof.texts.figures.quantities import count, duration, mean, milliseconds, share, size

NARROW = "\u202f"
MINUS = "\u2212"
ANY = st.floats(min_value=-1e15, max_value=1e15, allow_subnormal=False)
UNITS = {"µs": 1, "ms": 1e3, "s": 1e6}


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
        (999_951, "1,000 ms"),
        (9_999_500, "10.0 s"),
        (3_600_000_000, "3,600 s"),
        (2.5, "3 µs"),
        (-55_300, "\u221255.3 ms"),
        (-0.4, "<1 µs"),
    ],
)
def test_a_duration_has_the_unit_that_fits(us: float, text: str) -> None:
    assert duration(us) == text.replace(" ", NARROW)


@pytest.mark.parametrize(("us", "text"), [(0, "0"), (99, "<0.1"), (100, "0.1"), (1_234_567, "1,235")])
def test_milliseconds_stand_under_a_head_that_says_so(us: float, text: str) -> None:
    assert milliseconds(us) == text


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (0, "0 %"),
        (0.0005, "<0.1 %"),
        (0.001, "0.1 %"),
        (0.0949, "9.5 %"),
        (0.0995, "10 %"),
        (0.1, "10 %"),
        (1, "100 %"),
        (-0.284, "\u221228 %"),
        (12.5, "1,250 %"),
    ],
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
        (999_949, "999.9 kB"),
        (999_950, "1.0 MB"),
        (10**9, "1.0 GB"),
        (10**12, "1.0 TB"),
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
    assert (mean(0.0), mean(0.04), mean(4.25), mean(999.95)) == ("0", "<0.1", "4.3", "1,000")


@given(st.floats(min_value=0, max_value=1e15, allow_subnormal=False))
def test_only_a_true_zero_reads_as_zero(value: float) -> None:
    for text in (duration(value), milliseconds(value), share(value), mean(value)):
        assert text.startswith("0.0") is False
        assert (text.split(NARROW)[0] == "0") == (value == 0)


@given(ANY)
@example(999_951.0)
@example(999_950_000.0)
def test_rounding_gives_no_figure_that_another_form_says_better(value: float) -> None:
    for text in (duration(value), milliseconds(value), share(value), size(round(value)), mean(value)):
        figure, unit = (*text.split(NARROW), "")[:2]
        assert re.fullmatch(rf"{MINUS}?\d{{1,3}}(,\d{{3}})*(\.\d)?|<1|<0\.1", figure)
        number = float(re.sub(rf"[{MINUS}<,]", "", figure))
        assert number < 1000 or "." not in figure
        assert unit != "ms" or number < 10_000
        assert unit not in ("kB", "MB", "GB") or number < 1000


@given(st.floats(min_value=1, max_value=1e15))
def test_a_figure_is_its_number_to_half_of_its_last_digit(us: float) -> None:
    figure, unit = duration(us).replace(",", "").split(NARROW)
    places = len(figure.partition(".")[2])
    assert abs(float(figure) - us / UNITS[unit]) <= 0.5 * 10**-places * (1 + 1e-9)


@given(ANY)
def test_a_negative_figure_is_the_positive_one_with_a_minus(value: float) -> None:
    for text in (duration, milliseconds, share, mean):
        positive = text(abs(value))
        signed = value and not positive.startswith("<")
        assert text(-abs(value)) == (f"{MINUS}{positive}" if signed else positive)


def test_the_table_that_the_tab_is_held_to_is_what_is_written_here() -> None:
    assert TABLE.read_text(encoding="utf-8") == written(figures()), "run python tests/data/refresh_figures.py"
