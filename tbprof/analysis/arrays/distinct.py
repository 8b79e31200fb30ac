"""Things that are told apart by several columns together."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from tbprof.trace.columns.arrays import Int64s

_Number = TypeVar("_Number", np.int64, np.int32, np.float64)


def distinct_lines(lines: npt.NDArray[_Number]) -> tuple[npt.NDArray[_Number], Int64s]:
    """The distinct lines of a table, ascending, and for each of its lines which of them it is.

    `np.unique` with an axis gives the same, but compares whole lines as bytes: nine times the time.
    """
    order = np.lexsort(lines.T[::-1])
    is_first = np.zeros(len(lines), np.bool_)
    is_first[:1] = True
    for column in lines.T:
        ordered = column[order]
        is_first[1:] |= ordered[1:] != ordered[:-1]
    which = np.empty(len(lines), np.int64)
    which[order] = np.cumsum(is_first) - 1
    return lines[order[is_first]], which
