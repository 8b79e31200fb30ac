"""Nanoseconds to microseconds, the one place where a time is rounded."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tbprof.views.steady import optional_us, us


@given(st.integers(-(2**53) // 1000, 2**53 // 1000))
def test_three_decimals_hold_every_ns(ns: int) -> None:
    assert round(us(ns) * 1000) == ns


def test_what_was_not_recorded_stays_so() -> None:
    assert optional_us(None) is None
    assert optional_us(0) == 0
