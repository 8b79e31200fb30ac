"""Microseconds of a file, in whatever form, to integer nanoseconds without a rounding error.

A float64 of microseconds tells nanoseconds apart below 2^43 us (101 days): enough where
the file counts from a base time, and for every duration. Unix times in whole microseconds
are read as ints, and Unix times with decimals by their digits, so that none is lost: all at
once where they stand as Kineto prints them, else as Decimals.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, TypeAlias, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int64s
from tbprof.trace.importers.kineto.events.events import (
    AnySlice,
    Timed,
)

ClockType: TypeAlias = "type[float] | type[int] | type[msgspec.Raw] | type[Decimal]"

CLOCKS: tuple[ClockType, ...] = (float, int, msgspec.Raw, Decimal)
"""The clocks, from the fastest to the one that reads everything."""

_FLOAT_LIMIT_US = 2**43
_LIMIT_US = 2**52
"""Twice this many us still fit into 64 bits of ns, so that an end can be added up."""
_NS = Decimal(1000)
_WIDTHS = range(5, 21)
"""Characters of a start in us that has 3 decimals and fits below `_LIMIT_US`."""
_POINT = (ord(".") - ord("0")) % 256


@dataclass(frozen=True, slots=True, eq=False)
class Times:
    """The times of some complete events, in their order."""

    start_ns: Int64s
    duration_ns: Int64s
    """The recorded duration: a damaged clock can make it negative."""


def exact_times(slices: Sequence[AnySlice], clock: ClockType) -> Times | None:
    """Start and duration of each, rounded to the ns one by one; None if `clock` can't hold them."""
    starts = [event.ts for event in slices]
    durations = [event.dur for event in slices]
    if clock is float:
        # Both at once: of a chunk's few events each call costs more than their number.
        both = _from_floats(starts + durations)
        start_ns, duration_ns = (both, both) if both is None else (both[: len(starts)], both[len(starts) :])
    else:
        start_ns = _to_ns(starts, clock)
        duration_ns = _from_ints(durations) if clock is int else _from_floats(durations)
    if start_ns is None or duration_ns is None:
        return None
    return Times(start_ns, duration_ns)


def exact_starts(events: Sequence[Timed], clock: ClockType) -> Int64s | None:
    """The start of each event, in ns; None if `clock` can't hold them."""
    return _to_ns([event.ts for event in events], clock)


def _to_ns(times: list[Any], clock: ClockType) -> Int64s | None:
    if not times:
        return np.empty(0, np.int64)
    if clock is float:
        return _from_floats(times)
    if clock is int:
        return _from_ints(times)
    if clock is msgspec.Raw:
        return _from_digits(times)
    return _from_decimals(times)


def in_range(event: Timed) -> bool:
    """Whether an event with a Decimal start has times that fit into 64 bits of ns."""
    # No abs(): it would round, and raises for exponents out of range.
    if not (event.ts.is_finite() and -_LIMIT_US <= event.ts <= _LIMIT_US):
        return False
    length = getattr(event, "dur", 0.0)
    return math.isfinite(length) and abs(length) < _FLOAT_LIMIT_US


def _from_floats(values: list[float]) -> Int64s | None:
    us = packed(values, np.float64)
    if not _within(us, _FLOAT_LIMIT_US):
        return None
    # The product of both would be rounded a second time, to 0.5 or 1 ns; that of a whole float is exact.
    ns = np.floor(us)
    us -= ns
    us *= 1000
    ns *= 1000
    ns += np.rint(us, out=us)
    return ns.astype(np.int64)


def _from_ints(values: list[int]) -> Int64s | None:
    try:
        us = packed(values, np.int64)
    except ValueError:
        return None
    return us * 1000 if _within(us, _LIMIT_US) else None


def _from_digits(values: list[msgspec.Raw]) -> Int64s | None:
    joined = b"".join(values)
    width = len(joined) // len(values)
    if width not in _WIDTHS or len(joined) != width * len(values):
        return None
    # Where a number had another width, the points would not stand below each other.
    digits = np.frombuffer(joined, np.uint8).reshape(-1, width) - np.uint8(ord("0"))
    is_point = np.arange(width) == width - 4
    numbers = digits[:, ~is_point]
    if (digits[:, is_point] != _POINT).any() or (numbers > 9).any():
        return None
    ns: Int64s = numbers.astype(np.int64) @ 10 ** np.arange(width - 2, -1, -1)
    return ns if _within(ns, _LIMIT_US * 1000) else None


def _from_decimals(values: list[Decimal]) -> Int64s | None:
    us = np.fromiter(map(float, values), np.float64, len(values))
    if not _within(us, _LIMIT_US):
        return None
    return np.fromiter(map(round, map(_NS.__mul__, values)), np.int64, len(values))


def _within(us: npt.NDArray[np.float64] | Int64s, limit: int) -> bool:
    # Written so that NaN is not within.
    return len(us) == 0 or bool(us.max() <= limit and us.min() >= -limit)


def packed(values: Sequence[object], dtype: type[_Number]) -> npt.NDArray[_Number]:
    """An array of `values`, one element each.

    Raises:
        ValueError: One of them is no number, or none that this type holds.
    """
    array = np.empty(len(values), dtype)
    try:
        struct.pack_into(f"{len(values)}{array.dtype.char}", array.data, 0, *values)
    except (struct.error, OverflowError) as error:
        raise ValueError(str(error)) from error
    return array


_Number = TypeVar("_Number", np.float64, np.int64, np.int32, np.int8)
