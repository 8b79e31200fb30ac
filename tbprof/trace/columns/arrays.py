"""The arrays that a trace is made of.

Their times and rows mostly ascend, in runs. A stable sort of such takes a thirtieth of the time of numpy's
default, which is as slow for what is sorted as for anything else, and slower still on AMD's processors with
AVX-512.
"""

from __future__ import annotations

import json
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from tbprof.records import dataclass

_FEW = 8
"""Numbers with each of which a column is compared."""
_TABLE_ENTRIES = 6
"""A number of the columns: more `np.isin` would not spend on a table of what is wanted."""

Int64s = npt.NDArray[np.int64]
Int32s = npt.NDArray[np.int32]
Int8s = npt.NDArray[np.int8]
Float32s = npt.NDArray[np.float32]

_Value = TypeVar("_Value", bound=np.generic)


NONE = -1
"""Stands in an array of indices for none: no row, no position, no step, no site."""


@dataclass(frozen=True, slots=True, eq=False)
class SparseColumn:
    """An integer field that only some rows have."""

    rows: Int32s
    """Ascending, each row once."""
    values: Int64s | Int32s
    missing: int
    """What `at` gives for a row that has none."""

    def at(self, rows: npt.NDArray[np.integer]) -> Int64s:
        """The values at `rows` (any order, any repeats), same shape."""
        if len(self.rows) == 0:
            return np.full(len(rows), self.missing, np.int64)
        found, hit = find_sorted(self.rows, rows.astype(np.int32))
        return np.where(hit, self.values[found], np.int64(self.missing))


@dataclass(frozen=True, slots=True, eq=False)
class SparseFloats:
    """A fraction that only some rows have."""

    rows: Int32s
    """Ascending, each row once."""
    values: Float32s

    def at(self, rows: npt.NDArray[np.integer]) -> Float32s:
        """The values at `rows` (any order, any repeats), same shape; NaN for a row that has none."""
        if len(self.rows) == 0:
            return np.full(len(rows), np.nan, np.float32)
        found, hit = find_sorted(self.rows, rows.astype(np.int32))
        return np.where(hit, self.values[found], np.float32(np.nan))


def distinct(values: npt.NDArray[_Value]) -> npt.NDArray[_Value]:
    """The distinct ones of a column, ascending.

    `np.unique` gives the same ten to fifty times slower: it puts them into a hash table. At its first call it
    also imports `numpy.ma`, for 8 ms.
    """
    lowest = _lowest(values)
    if lowest is not None:
        return (np.flatnonzero(_table(values, lowest)) + lowest).astype(values.dtype)
    ordered = np.sort(values, kind="stable")
    is_first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    found: npt.NDArray[_Value] = ordered[is_first]
    return found


def distinct_places(values: npt.NDArray[_Value]) -> tuple[npt.NDArray[_Value], Int64s]:
    """The same, and for each value which of them it is: as `np.unique` with `return_inverse`."""
    lowest = _lowest(values)
    if lowest is not None:
        table = _table(values, lowest)
        number = np.cumsum(table) - 1
        return (np.flatnonzero(table) + lowest).astype(values.dtype), number[values.astype(np.int64) - lowest]
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    is_first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    which = np.empty(len(values), np.int64)
    which[order] = np.cumsum(is_first) - 1
    return ordered[is_first], which


def _lowest(values: npt.NDArray[np.generic]) -> int | None:
    """The least of them, if all are integers so near to each other that a table of what is there is small."""
    if len(values) == 0 or not np.issubdtype(values.dtype, np.signedinteger):
        return None
    lowest, highest = int(values.min()), int(values.max())
    return lowest if highest - lowest <= _TABLE_ENTRIES * len(values) else None


def _table(values: npt.NDArray[np.generic], lowest: int) -> npt.NDArray[np.bool_]:
    """Whether each number from the lowest on is there."""
    places = values.astype(np.int64) - lowest
    table = np.zeros(int(places.max()) + 1, np.bool_)
    table[places] = True
    return table


def is_among(values: npt.NDArray[np.integer], wanted: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """For each of `values` whether it is one of `wanted`, which are integers in any order.

    `np.isin` gives the same: thirty times slower where few are wanted, which is nearly always, and by way of
    `np.unique` where they are far apart.
    """
    numbers = np.asarray(wanted)
    if len(numbers) <= _FEW:
        found = np.zeros(values.shape, np.bool_)
        for number in numbers.tolist():
            found |= values == number
        return found
    if int(numbers.max()) - int(numbers.min()) <= _TABLE_ENTRIES * (len(values) + len(numbers)):
        return np.isin(values, numbers)
    return find_sorted(np.sort(numbers, kind="stable"), values)[1]


def median(values: npt.NDArray[np.integer | np.floating]) -> float:
    """The median of at least one number, none of them NaN. `np.median` gives the same and imports
    `numpy.ma`.
    """
    return percentile(values, 50)


def percentile(values: npt.NDArray[np.integer | np.floating], percent: float) -> float:
    """Between the two nearest of at least one number in proportion, as `np.percentile`; see `median`."""
    ordered = np.sort(values)
    at = (len(ordered) - 1) * percent / 100
    low = float(ordered[int(at)])
    return low if at == int(at) else low + (float(ordered[int(at) + 1]) - low) * (at - int(at))


def find_sorted(
    keys: npt.NDArray[np.integer], wanted: npt.NDArray[np.integer]
) -> tuple[Int64s, npt.NDArray[np.bool_]]:
    """Where each of `wanted` stands in `keys`, which ascend, and whether it does.

    Of equal keys it is the first. The position of what does not stand there is any, 0 if there are no keys.
    """
    if len(keys) == 0:
        return np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.bool_)
    found = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return found, keys[found] == wanted


def lookup(keys: npt.NDArray[np.integer], values: Int64s, wanted: npt.NDArray[np.integer]) -> Int64s:
    """The value of the key that equals each of `wanted`, `NONE` without one.

    Args:
        keys: In any order; of equal ones the first counts.
        values: One a key.
        wanted: Any, in any order.
    """
    order = np.argsort(keys, kind="stable")
    at, hit = find_sorted(keys[order], wanted)
    found = np.full(len(wanted), NONE, np.int64)
    found[hit] = values[order[at[hit]]]
    return found


NO_NUMBERS = SparseColumn(np.empty(0, np.int32), np.empty(0, np.int32), -1)
"""The column of a field that no row has."""
NO_SIZES = SparseColumn(NO_NUMBERS.rows, NO_NUMBERS.values, 0)
"""The same, where 0 stands for what is missing."""
NO_FRACTIONS = SparseFloats(NO_NUMBERS.rows, np.empty(0, np.float32))


CLOCK_SLACK_NS = 10_000
"""What traces without a fault show: on ROCm a call returns up to 8.5 us before the recorded end of what
it awaited."""


_TYPES = {
    "float": ("float32", 4),
    "double": ("float64", 8),
    "half": ("float16", 2),
    "bfloat16": ("bfloat16", 2),
    "int": ("int32", 4),
    "long": ("int64", 8),
    "long int": ("int64", 8),
    "short": ("int16", 2),
    "short int": ("int16", 2),
    "char": ("int8", 1),
    "signed char": ("int8", 1),
    "byte": ("uint8", 1),
    "unsigned char": ("uint8", 1),
    "bool": ("bool", 1),
    "float8_e4m3fn": ("float8_e4m3fn", 1),
    "float8_e4m3fnuz": ("float8_e4m3fnuz", 1),
    "float8_e5m2": ("float8_e5m2", 1),
    "float8_e5m2fnuz": ("float8_e5m2fnuz", 1),
    "float8_e8m0fnu": ("float8_e8m0fnu", 1),
    "float4_e2m1fn_x2": ("float4_e2m1fn_x2", 1),
    "complexfloat": ("complex64", 8),
    "complex<float>": ("complex64", 8),
    "complexdouble": ("complex128", 16),
    "complex<double>": ("complex128", 16),
}
"""Types by the name that a trace gives, in small letters and without `c10::`: torch's name, bytes of one."""


def dtype_name(recorded: str) -> str:
    """Torch's name of a type; one that is not known stays as it was recorded."""
    return _TYPES.get(_plain(recorded), (recorded, 0))[0]


def item_bytes(recorded: str) -> int | None:
    """Size of one element; None of a type that is not known."""
    known = _TYPES.get(_plain(recorded))
    return None if known is None else known[1]


def _plain(recorded: str) -> str:
    return recorded.lower().removeprefix("c10::")


_SHOWN = 40


def listed(text: str) -> tuple[Any, ...]:
    """The entries of a list as `[[2,3],[]]`; none of "".

    Raises:
        ValueError: It is no list.
    """
    try:
        found = json.loads(text, parse_constant=_no_number) if text else []
    except RecursionError as error:
        raise ValueError(f"a list within {text[:_SHOWN]!r} is too deep") from error
    if not isinstance(found, list):
        raise ValueError(f"{text!r} is no list")
    return tuple(found)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")
