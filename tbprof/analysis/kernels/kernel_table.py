"""The table of kernels: one row a name, as torch-tb-profiler has it."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.kernels.compiled import Compiled, compiled_kernels
from tbprof.analysis.kernels.configurations import (
    Configuration,
    configurations,
    occupancy,
    weighted_means,
)
from tbprof.analysis.kernels.durations import Durations, durations
from tbprof.analysis.kernels.libraries import library_of
from tbprof.analysis.kernels.origins import Origin, kernel_origins
from tbprof.analysis.kernels.sequences import KernelSequence, repeated_sequences
from tbprof.analysis.kernels.short_names import short_name
from tbprof.analysis.modules.module_table import MODULE_TABLES
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.tables import Tables
from tbprof.trace.columns.tensor_cores import is_on_tensor_cores

KERNEL_TABLES: Tables = MODULE_TABLES | {"kernels"}
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
    configuration: Configuration
    """The one with most time."""
    blocks_per_sm: float | None
    """Mean, weighted by duration; one below 1 leaves multiprocessors without work. None if not recorded."""
    occupancy_percent: float | None
    """Kineto's estimate, likewise."""
    tensor_cores: bool
    compiled: Compiled | None
    """Of torch.compile's kernels; the one with most time."""
    origin: Origin


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
        rows=_rows(facts, kernels, length),
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


def _rows(facts: Facts, kernels: Int64s, length: Int64s) -> tuple[KernelRow, ...]:
    trace, rows = facts.trace, facts.work.rows[kernels]
    names, at, calls = np.unique(trace.slices.name[rows], return_inverse=True, return_counts=True)
    total = np.zeros(len(names), np.int64)
    np.add.at(total, at, length)
    order = np.lexsort((names, -total))
    names, calls, total, at = names[order], calls[order], total[order], np.argsort(order)[at]
    least, most = np.full(len(names), np.iinfo(np.int64).max), np.zeros(len(names), np.int64)
    np.minimum.at(least, at, length)
    np.maximum.at(most, at, length)
    blocks = trace.blocks_per_sm.at(rows).astype(np.float64)
    shares = total / max(int(total.sum()), 1)
    columns = zip(
        [trace.names[name] for name in names.tolist()],
        calls.tolist(),
        total.tolist(),
        least.tolist(),
        most.tolist(),
        shares.tolist(),
        np.cumsum(shares).tolist(),
        configurations(trace, rows, length, at, len(names)),
        weighted_means(blocks, length, at, total),
        weighted_means(occupancy(trace, rows), length, at, total),
        compiled_kernels(facts, kernels, length, at, len(names)),
        kernel_origins(facts, kernels, length, at, len(names)),
        strict=True,
    )
    return tuple(_row(*cells) for cells in columns)


def _row(
    name: str,
    calls: int,
    total_ns: int,
    min_ns: int,
    max_ns: int,
    share: float,
    cumulative_share: float,
    configuration: Configuration,
    blocks_per_sm: float | None,
    occupancy_percent: float | None,
    compiled: Compiled | None,
    origin: Origin,
) -> KernelRow:
    return KernelRow(
        name=name,
        short_name=short_name(name),
        library=library_of(name),
        calls=calls,
        total_ns=total_ns,
        min_ns=min_ns,
        max_ns=max_ns,
        share=share,
        cumulative_share=cumulative_share,
        configuration=configuration,
        blocks_per_sm=blocks_per_sm,
        occupancy_percent=occupancy_percent,
        tensor_cores=is_on_tensor_cores(name),
        compiled=compiled,
        origin=origin,
    )
