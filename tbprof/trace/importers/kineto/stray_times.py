"""Rows whose times can't belong to the recording: a clock that failed, or a length that overflowed."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import numpy.typing as npt

from tbprof.trace.columns.arrays import SparseColumn, SparseFloats
from tbprof.trace.columns.columns import Slices
from tbprof.trace.importers.kineto.rows import Rows

_LONGEST_NS = 86_400_000_000_000
"""A day. No window lasts that long: the profiler keeps its events in memory, and would fill it in minutes."""
_MOST = 0.1
"""A share of the rows. Where more are a day away, the file has two clocks, and none is known to be wrong."""


def without_stray_rows(rows: Rows) -> tuple[Rows, int]:
    """`rows` without those that begin over a day from the median row or last over a day, and their number.

    One such row would make the window, and all that is measured against it, as long as its own error.
    """
    is_stray = _are_stray(rows.slices)
    if is_stray is None:
        return rows, 0
    kept = np.flatnonzero(~is_stray)
    slices = Slices(**{column.name: getattr(rows.slices, column.name)[kept] for column in fields(Slices)})
    number = np.cumsum(~is_stray, dtype=np.int32) - np.int32(1)
    args = {name: _kept_numbers(column, is_stray, number) for name, column in rows.args.items()}
    fractions = {name: _kept_fractions(column, is_stray, number) for name, column in rows.fractions.items()}
    return replace(rows, slices=slices, args=args, fractions=fractions), len(is_stray) - len(kept)


def _are_stray(slices: Slices) -> npt.NDArray[np.bool_] | None:
    """For each row whether it is; None where none is, as in nearly every file, or too many."""
    start_ns, duration_ns = slices.start_ns, slices.duration_ns
    if len(start_ns) == 0 or start_ns.max() - start_ns.min() <= _LONGEST_NS >= duration_ns.max():
        return None
    median_ns = np.partition(start_ns, len(start_ns) // 2)[len(start_ns) // 2]
    is_stray: npt.NDArray[np.bool_] = np.abs(start_ns - median_ns) > _LONGEST_NS
    is_stray |= duration_ns > _LONGEST_NS
    return is_stray if 0 < is_stray.sum() <= max(len(is_stray) * _MOST, 1) else None


def _kept_numbers(
    column: SparseColumn, is_stray: npt.NDArray[np.bool_], number: npt.NDArray[np.int32]
) -> SparseColumn:
    has = ~is_stray[column.rows]
    return SparseColumn(number[column.rows[has]], column.values[has], column.missing)


def _kept_fractions(
    column: SparseFloats, is_stray: npt.NDArray[np.bool_], number: npt.NDArray[np.int32]
) -> SparseFloats:
    has = ~is_stray[column.rows]
    return SparseFloats(number[column.rows[has]], column.values[has])
