"""The arrays that a trace is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = [
    "NO_FRACTIONS",
    "NO_NUMBERS",
    "NO_SIZES",
    "Float32s",
    "Int8s",
    "Int32s",
    "Int64s",
    "SparseColumn",
    "SparseFloats",
]

Int64s = npt.NDArray[np.int64]
Int32s = npt.NDArray[np.int32]
Int8s = npt.NDArray[np.int8]
Float32s = npt.NDArray[np.float32]


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
        found, hit = _find(self.rows, rows)
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
        found, hit = _find(self.rows, rows)
        return np.where(hit, self.values[found], np.float32(np.nan))


def _find(held: Int32s, rows: npt.NDArray[np.integer]) -> tuple[Int64s, npt.NDArray[np.bool_]]:
    """Where each of `rows` would stand in `held`, and whether it does."""
    wanted = rows.astype(np.int32)
    found = np.minimum(np.searchsorted(held, wanted), len(held) - 1)
    return found, held[found] == wanted


NO_NUMBERS = SparseColumn(np.empty(0, np.int32), np.empty(0, np.int32), -1)
"""The column of a field that no row has."""
NO_SIZES = SparseColumn(NO_NUMBERS.rows, NO_NUMBERS.values, 0)
"""The same, where 0 stands for what is missing."""
NO_FRACTIONS = SparseFloats(NO_NUMBERS.rows, np.empty(0, np.float32))
