"""Microseconds of a file, in whatever form, to integer nanoseconds without a rounding error.

A float64 of microseconds tells nanoseconds apart below 2^43 us (101 days): enough where
the file counts from a base time. Unix times in whole microseconds are read as ints, and
Unix times with decimals as Decimals, so that no digit is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from operator import attrgetter
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tbprof.trace.columns import Int64s
from tbprof.trace.events import AnySlice

__all__ = ["CLOCKS", "ClockType", "Times", "decimal_times", "exact_times", "in_range"]

ClockType: TypeAlias = "type[float] | type[int] | type[Decimal]"

CLOCKS: tuple[ClockType, ...] = (float, int, Decimal)
"""From the fastest to the one that reads everything."""

_FLOAT_LIMIT_US = 2**43
_LIMIT_US = 2**52
"""Twice this many us still fit into 64 bits of ns, so that an end can be added up."""

_start = attrgetter("ts")
_duration = attrgetter("dur")


@dataclass(frozen=True, slots=True, eq=False)
class Times:
    """The times of some complete events, in their order."""

    start_ns: Int64s
    duration_ns: Int64s
    """As recorded: a damaged clock can make it negative."""
    has_decimals: bool
    """Whether a start is finer than 1 us."""


def exact_times(slices: Sequence[AnySlice], clock: ClockType) -> Times | None:
    """Start and duration of each, rounded to the ns one by one; None if `clock` can't hold them."""
    if clock is float:
        return _from_floats(slices)
    if clock is int:
        return _from_ints(slices)
    return decimal_times(slices) if all(map(in_range, slices)) else None


def in_range(event: AnySlice) -> bool:
    """Whether an event with Decimal times has times that fit into 64 bits of ns."""
    # No abs(): it would round, and raises for exponents out of range.
    return all(us.is_finite() and -_LIMIT_US <= us <= _LIMIT_US for us in (event.ts, event.dur))


def _from_floats(slices: Sequence[AnySlice]) -> Times | None:
    start_us = np.fromiter(map(_start, slices), np.float64, len(slices))
    duration_us = np.fromiter(map(_duration, slices), np.float64, len(slices))
    if not (_within(start_us, _FLOAT_LIMIT_US) and _within(duration_us, _FLOAT_LIMIT_US)):
        return None
    start_ns = _float_to_ns(start_us)
    return Times(start_ns, _float_to_ns(duration_us), bool((start_us % 1).any()))


def _float_to_ns(us: npt.NDArray[np.float64]) -> Int64s:
    # The product of a whole float would be rounded a second time, to 0.5 or 1 ns.
    whole = np.floor(us)
    return whole.astype(np.int64) * 1000 + np.rint((us - whole) * 1000).astype(np.int64)


def _from_ints(slices: Sequence[AnySlice]) -> Times | None:
    try:
        start_us = np.fromiter(map(_start, slices), np.int64, len(slices))
        duration_us = np.fromiter(map(_duration, slices), np.int64, len(slices))
    except OverflowError:
        return None
    if not (_within(start_us, _LIMIT_US) and _within(duration_us, _LIMIT_US)):
        return None
    return Times(start_us * 1000, duration_us * 1000, has_decimals=False)


def decimal_times(slices: Sequence[AnySlice]) -> Times:
    """The same for events with Decimal times, all of them `in_range`."""
    return Times(
        _decimal_to_ns(map(_start, slices)),
        _decimal_to_ns(map(_duration, slices)),
        has_decimals=any(event.ts % 1 for event in slices),
    )


def _decimal_to_ns(us: Iterable[Decimal]) -> Int64s:
    return np.array([round(value * 1000) for value in us], np.int64)


def _within(us: npt.NDArray[np.float64] | Int64s, limit: int) -> bool:
    return len(us) == 0 or float(max(us.max(), -us.min())) < limit
