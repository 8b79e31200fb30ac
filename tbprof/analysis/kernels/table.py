"""The table of kernels: one row a name, as torch-tb-profiler has it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.facts import Facts
from tbprof.analysis.kernels.durations import Durations, durations
from tbprof.analysis.kernels.libraries import library_of
from tbprof.analysis.kernels.sequences import KernelSequence, repeated_sequences
from tbprof.analysis.kernels.short_names import short_name
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE
from tbprof.trace.columns.columns import Int64s, SparseColumn
from tbprof.trace.columns.tables import Tables
from tbprof.trace.columns.tensor_cores import kernels_on_tensor_cores

__all__ = ["KERNEL_TABLES", "KernelRow", "KernelTable", "kernel_table", "kernels_of"]

KERNEL_TABLES: Tables = frozenset(("kernels",))
"""What of a trace a row reads."""


@dataclass(frozen=True, slots=True)
class KernelRow:
    """All kernels of one name."""

    name: str
    short_name: str
    library: str | None
    calls: int
    total_ns: int
    min_ns: int
    max_ns: int
    share: float
    """Of the time of all kernels."""
    cumulative_share: float
    grid: str | None
    """Blocks in x, y, z as `[16,15,1]`, of the configuration with most time; as the next three."""
    block: str | None
    """Threads of a block, likewise."""
    registers_per_thread: int | None
    shared_memory_bytes: int | None
    configurations: int
    """How many different ones of these four ran."""
    blocks_per_sm: float | None
    """Mean, weighted by duration; one below 1 leaves multiprocessors without work. None if not recorded."""
    occupancy_percent: float | None
    """Kineto's estimate, likewise."""
    tensor_cores: bool


@dataclass(frozen=True, slots=True)
class KernelTable:
    in_steps: bool
    """Whether only kernels launched within a step are counted; else those of the whole trace."""
    total_ns: int
    rows: tuple[KernelRow, ...]
    """Largest first."""
    durations: Durations
    sequences: tuple[KernelSequence, ...]


def kernel_table(facts: Facts, *, in_steps: bool = False) -> KernelTable:
    """The kernels of the whole trace, or of its steps; copies and memsets are none."""
    kernels = kernels_of(facts, in_steps=in_steps)
    length = facts.work.end_ns[kernels] - facts.work.start_ns[kernels]
    return KernelTable(
        in_steps=in_steps,
        total_ns=int(length.sum()),
        rows=_rows(facts, facts.work.rows[kernels], length),
        durations=durations(length),
        sequences=repeated_sequences(facts, kernels),
    )


def kernels_of(facts: Facts, *, in_steps: bool) -> Int64s:
    """Positions in `Facts.work`."""
    work = facts.work
    if not in_steps:
        return np.flatnonzero(work.is_kernel)
    in_a_step = facts.steps.index_of(work.launch_start_ns) != NONE
    return np.flatnonzero(work.is_kernel & (work.launch != NONE) & in_a_step)


def _rows(facts: Facts, rows: Int64s, length: Int64s) -> tuple[KernelRow, ...]:
    trace = facts.trace
    names, at, calls = np.unique(trace.slices.name[rows], return_inverse=True, return_counts=True)
    total = np.zeros(len(names), np.int64)
    np.add.at(total, at, length)
    texts = [trace.names[name] for name in names.tolist()]
    on_tensor_cores = kernels_on_tensor_cores(texts)
    configurations = _configurations(facts, rows, length, at, len(names))
    least, most = _extremes(at, length, len(names))
    occupancy = None if trace.kernels is None else _known(trace.kernels.occupancy_percent, rows)
    blocks = _weighted(trace.blocks_per_sm.at(rows).astype(np.float64), length, at, total)
    occupied = _weighted(occupancy, length, at, total)
    order = np.lexsort((names, -total))
    shares = total / max(int(total.sum()), 1)
    reached = np.cumsum(shares[order])
    return tuple(
        KernelRow(
            name=texts[one],
            short_name=short_name(texts[one]),
            library=library_of(texts[one]),
            calls=int(calls[one]),
            total_ns=int(total[one]),
            min_ns=int(least[one]),
            max_ns=int(most[one]),
            share=float(shares[one]),
            cumulative_share=cumulative,
            grid=configurations[one].grid,
            block=configurations[one].block,
            registers_per_thread=configurations[one].registers_per_thread,
            shared_memory_bytes=configurations[one].shared_memory_bytes,
            configurations=configurations[one].count,
            blocks_per_sm=blocks[one],
            occupancy_percent=occupied[one],
            tensor_cores=bool(on_tensor_cores[one]),
        )
        for one, cumulative in zip(order.tolist(), reached.tolist(), strict=True)
    )


@dataclass(frozen=True, slots=True)
class _Configuration:
    grid: str | None
    block: str | None
    registers_per_thread: int | None
    shared_memory_bytes: int | None
    count: int


def _configurations(
    facts: Facts, rows: Int64s, length: Int64s, at: Int64s, count: int
) -> list[_Configuration]:
    """By name the one with most time, of equal ones any, and how many there are."""
    table, names = facts.trace.kernels, facts.trace.names
    if table is None:
        return [_Configuration(None, None, None, None, 0)] * count
    columns = (table.grid, table.block, table.registers_per_thread, table.shared_memory_bytes)
    keys = np.stack([at, *(column.at(rows) for column in columns)], axis=1)
    distinct, which = np.unique(keys, axis=0, return_inverse=True)
    spent = np.zeros(len(distinct), np.int64)
    np.add.at(spent, which.reshape(len(rows)), length)
    order = np.lexsort((spent, distinct[:, 0]))
    last = np.append(np.flatnonzero(np.diff(distinct[order, 0])), len(order) - 1)[:count]
    counts = np.bincount(distinct[:, 0], minlength=count)
    return [
        _Configuration(
            grid=None if grid == NONE else names[grid],
            block=None if block == NONE else names[block],
            registers_per_thread=None if registers == NONE else registers,
            shared_memory_bytes=None if shared == NONE else shared,
            count=int(counts[name]),
        )
        for name, grid, block, registers, shared in distinct[order[last]].tolist()
    ]


def _extremes(at: Int64s, length: Int64s, count: int) -> tuple[Int64s, Int64s]:
    least, most = np.full(count, np.iinfo(np.int64).max), np.zeros(count, np.int64)
    np.minimum.at(least, at, length)
    np.maximum.at(most, at, length)
    return least, most


def _known(column: SparseColumn, rows: Int64s) -> npt.NDArray[np.float64]:
    values = column.at(rows).astype(np.float64)
    return np.where(values == column.missing, np.nan, values)


def _weighted(
    values: npt.NDArray[np.float64] | None, length: Int64s, at: Int64s, total: Int64s
) -> list[float | None]:
    """By name the mean weighted by duration, a missing value among others as 0; None where all are."""
    if values is None:
        return [None] * len(total)
    known = np.bincount(at, ~np.isnan(values), len(total)) > 0
    sums = np.bincount(at, np.nan_to_num(values) * length, len(total))
    means = (sums / np.maximum(total, 1)).tolist()
    return [mean if is_known else None for mean, is_known in zip(means, known.tolist(), strict=True)]
