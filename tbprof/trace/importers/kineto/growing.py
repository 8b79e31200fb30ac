"""Arrays whose final length is not known yet."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from tbprof.trace.columns.arrays import Int32s, SparseColumn, SparseFloats

Number = TypeVar("Number", np.int64, np.int32, np.int8, np.float32)

_FIRST_LENGTH = 1024


class GrowingArray(Generic[Number]):
    """An array that grows at its end, into spare memory that is not touched before it is needed."""

    def __init__(self, dtype: type[Number]) -> None:
        self._array: npt.NDArray[Number] = np.empty(_FIRST_LENGTH, dtype)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def extend(self, values: npt.NDArray[np.generic]) -> None:
        """Append `values`, in the array's own type."""
        end = self._length + len(values)
        if end > len(self._array):
            # `resize` would fill what is new with zeros.
            grown = np.empty(2 * end, self._array.dtype)
            grown[: self._length] = self._array[: self._length]
            self._array = grown
        self._array[self._length : end] = values
        self._length = end

    def take(self) -> npt.NDArray[Number]:
        """The array, to be asked for once: it can't grow any more."""
        self._array.resize(self._length, refcheck=False)
        return self._array


class GrowingColumn(Generic[Number]):
    """A sparse column while it grows; rows come in ascending order.

    What is too large for its type is not there: CUPTI's -1 of a stream, which some versions
    of Kineto print as 2^32 - 1, and ids that a float does not hold.
    """

    def __init__(self, dtype: type[Number], missing: int = -1) -> None:
        """`missing` is the value of a row that has none; all others are greater."""
        self._missing = missing
        self._limit = 2.0**53 if dtype is np.int64 else 2.0**31
        self._rows = GrowingArray(np.int32)
        self._values: GrowingArray[Number] = GrowingArray(dtype)

    def add(self, rows: Int32s, values: npt.NDArray[np.float64] | Int32s) -> None:
        """Append those of the rows whose value is there and fits."""
        known = (values > self._missing) & (values < self._limit)
        if known.all():
            self._rows.extend(rows)
            self._values.extend(values)
        elif known.any():
            self._rows.extend(rows[known])
            self._values.extend(values[known])

    def take(self) -> SparseColumn:
        """All rows, to be asked for once."""
        values: npt.NDArray[Any] = self._values.take()
        return SparseColumn(self._rows.take(), values, self._missing)

    def take_floats(self) -> SparseFloats:
        """The same for a column of fractions."""
        values: npt.NDArray[Any] = self._values.take()
        return SparseFloats(self._rows.take(), values)
