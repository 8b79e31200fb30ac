"""How kernels were launched: grid, block, registers, shared memory, and how well they fill the device."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.distinct import distinct_lines
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, SparseColumn
from tbprof.trace.columns.columns import Trace

_WHOLE = 100


@dataclass(frozen=True, slots=True)
class Configuration:
    """None for what is not recorded."""

    grid: str | None
    block: str | None
    registers_per_thread: int | None
    shared_memory_bytes: int | None
    count: int
    """How many different ones there are, this one included."""


def configurations(trace: Trace, rows: Int64s, length: Int64s, at: Int64s, count: int) -> list[Configuration]:
    """By group the one with most time, of equal ones any.

    Args:
        trace: The one of the kernels.
        rows: Of the kernels.
        length: How long each ran.
        at: Group of each, from 0 on; none is empty.
        count: Of the groups.
    """
    table, names = trace.kernels, trace.names
    if table is None:
        return [Configuration(None, None, None, None, 0)] * count
    columns = (table.grid, table.block, table.registers_per_thread, table.shared_memory_bytes)
    keys = np.stack([at, *(column.at(rows) for column in columns)], axis=1)
    distinct, which = distinct_lines(keys)
    spent = np.zeros(len(distinct), np.int64)
    np.add.at(spent, which, length)
    order = np.lexsort((spent, distinct[:, 0]))
    last = np.append(np.flatnonzero(np.diff(distinct[order, 0])), len(order) - 1)[:count]
    counts = np.bincount(distinct[:, 0], minlength=count)
    return [
        Configuration(
            grid=None if grid == NONE else names[grid],
            block=None if block == NONE else names[block],
            registers_per_thread=None if registers == NONE else registers,
            shared_memory_bytes=None if shared == NONE else shared,
            count=int(counts[name]),
        )
        for name, grid, block, registers, shared in distinct[order[last]].tolist()
    ]


def occupancy(trace: Trace, rows: Int64s) -> npt.NDArray[np.float64]:
    """In percent, NaN for what is not recorded, and for what is no part of a whole."""
    if trace.kernels is None:
        return np.full(len(rows), np.nan)
    column: SparseColumn = trace.kernels.occupancy_percent
    values = column.at(rows).astype(np.float64)
    is_part = (values != column.missing) & (values >= 0) & (values <= _WHOLE)
    return np.where(is_part, values, np.nan)


def weighted_means(
    values: npt.NDArray[np.float64], length: Int64s, at: Int64s, total: Int64s
) -> list[float | None]:
    """By name the mean weighted by duration, a missing value among others as 0; None where all are."""
    known = np.bincount(at, ~np.isnan(values), len(total)) > 0
    sums = np.bincount(at, np.nan_to_num(values) * length, len(total))
    means = (sums / np.maximum(total, 1)).tolist()
    return [mean if is_known else None for mean, is_known in zip(means, known.tolist(), strict=True)]
