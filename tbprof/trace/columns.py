"""A trace as columns: what the reader makes and everything above it reads.

One row stands for one complete event (`"ph": "X"`), in file order. Names are interned:
a column holds an index into a table of strings. Fields that few rows have are sparse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from tbprof.model import HealthFact, HookFacts

__all__ = ["Category", "Int8s", "Int32s", "Int64s", "Lane", "Slices", "SparseColumn", "Trace"]

Int64s = npt.NDArray[np.int64]
Int32s = npt.NDArray[np.int32]
Int8s = npt.NDArray[np.int8]


class Category(IntEnum):
    """What an event is, whatever its era and vendor call it."""

    CPU_OP = 0
    USER_ANNOTATION = 1
    """A `record_function` range of the user, of an optimizer, of the profiler's steps."""
    RUNTIME = 2
    """A runtime or driver call on the host: CUDA, HIP, XPU."""
    KERNEL = 3
    MEMCPY = 4
    MEMSET = 5
    SYNC = 6
    """CUPTI's own record of a synchronisation; says what was awaited, is no sync point."""
    PYTHON = 7
    GPU_ANNOTATION = 8
    OVERHEAD = 9
    OTHER = 10


@dataclass(frozen=True, slots=True)
class Lane:
    """One thread of one process on the host, or one stream of one device."""

    process: str
    thread: str
    name: str
    """The thread's name as the trace gives it, "" if it gives none."""


@dataclass(frozen=True, slots=True, eq=False)
class Slices:
    """The columns that every row has, all of the same length."""

    start_ns: Int64s
    duration_ns: Int64s
    """Never negative."""
    name: Int32s
    """Index into `Trace.names`."""
    category: Int8s
    """A `Category`."""
    lane: Int32s
    """Index into `Trace.lanes`."""
    correlation: Int64s
    """Joins a runtime call with the device rows it launched; -1 where there is none."""

    def __len__(self) -> int:
        return len(self.start_ns)


@dataclass(frozen=True, slots=True, eq=False)
class SparseColumn:
    """An integer field that only some rows have."""

    rows: Int64s
    """Ascending, each row once."""
    values: Int64s
    missing: int
    """What `at` gives for a row that has none."""

    def at(self, rows: npt.NDArray[np.integer]) -> Int64s:
        """The values at `rows` (any order, any repeats), same shape."""
        if len(self.rows) == 0:
            return np.full(len(rows), self.missing, np.int64)
        found = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        hit = self.rows[found] == rows
        return np.where(hit, self.values[found], self.missing)


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """One file, read. Instants are ns on the file's own axis; `origin_ns` leads to the Unix epoch."""

    path: str
    slices: Slices
    names: tuple[str, ...]
    lanes: tuple[Lane, ...]
    device: SparseColumn
    """Number of the device a GPU row ran on; -1 if missing. Runtime rows have none."""
    stream: SparseColumn
    """Stream of a GPU row or of a `SYNC` row (there -1 means: none named); missing: -1."""
    bytes: SparseColumn
    """Size of a copy or memset; missing: 0."""
    copy_kind: SparseColumn
    """`args.kind` of a ROCm copy call (1 HtoD, 2 DtoH, 3 DtoD, 4 default); missing: 0."""
    awaited_stream: SparseColumn
    """`wait_on_stream` of a `SYNC` row; missing: -1."""
    awaited_record: SparseColumn
    """`wait_on_cuda_event_record_corr_id` of a `SYNC` row; missing: -1."""
    call_stack: SparseColumn
    """2021's `Call stack` of an operator, as an index into `names`; missing: -1."""
    device_names: Mapping[int, str]
    """Of the devices that the file describes, by number; "" where it gives no name."""
    rank: int | None
    world_size: int | None
    era: str
    """"2021", "2022", "2023" or "2024+"."""
    origin_ns: int
    """Unix time, in ns, of instant 0 (0 where the file's instants are Unix times already)."""
    num_events: int
    """All events of the file that were read, of every phase, metadata included."""
    facts: HookFacts | None
    health: tuple[HealthFact, ...]
    """What was lost or odd while reading."""
