"""Nanoseconds to the microseconds of JSON: the one place where a time is rounded; and times to believe."""

from __future__ import annotations

from typing import Any

_NS_PER_US = 1000
_BEFORE_PYTORCH_NS = 1_420_070_400 * 10**9
"""The begin of 2015: archives give files the times 1970 and 1980."""
_AHEAD_NS = 24 * 3600 * 10**9
"""Of the clocks of two machines, so that a time zone too many is no fault."""


def us(ns: int) -> float:
    """Exact to the ns: three decimals."""
    return ns / _NS_PER_US


def optional_us(ns: int | None) -> float | None:
    """A time that was not recorded stays None."""
    return None if ns is None else us(ns)


def in_us(value: Any) -> Any:
    """A time, or a row of times; one that was not recorded stays None."""
    if isinstance(value, tuple):
        return tuple(us(ns) for ns in value)
    return optional_us(value)


def is_credible(time_ns: int, now_ns: int) -> bool:
    """Whether something can have been recorded then.

    Names and times of files are written by whoever may write there: by clocks that are wrong as well.
    """
    return _BEFORE_PYTORCH_NS < time_ns < now_ns + _AHEAD_NS
