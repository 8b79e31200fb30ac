"""Nanoseconds to the microseconds of JSON: the one place where a time is rounded."""

from __future__ import annotations

from typing import Any

__all__ = ["in_us", "optional_us", "us"]

_NS_PER_US = 1000


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
