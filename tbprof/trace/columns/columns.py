"""A trace as columns: what the reader makes and everything above it reads.

One row stands for one complete event (`"ph": "X"`), in file order. Names are interned:
a column holds an index into a table of strings. Fields that few rows have are sparse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import IntEnum

import numpy as np

from tbprof.model import HealthFact, HookFacts
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import (
    NO_FRACTIONS,
    NO_NUMBERS,
    NO_SIZES,
    Int8s,
    Int32s,
    Int64s,
    SparseColumn,
    SparseFloats,
)
from tbprof.trace.columns.tables import (
    AutogradColumns,
    CollectiveColumns,
    GraphColumns,
    KernelColumns,
    MemoryEvents,
    ModuleColumns,
)


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
    """CUPTI's own record of a synchronization; says what was awaited, is no sync point."""
    PYTHON = 7
    GPU_ANNOTATION = 8
    OVERHEAD = 9
    OTHER = 10
    MTIA = 11
    """Device rows of an accelerator that is no GPU, as the two below: known to be there, and not read."""
    HPU = 12
    NPU = 13


@dataclass(frozen=True, slots=True)
class Lane:
    """One thread of one process on the host, or one stream of one device."""

    process: str
    thread: str
    name: str
    """The thread's name as the trace gives it, "" if it gives none."""


class _Referable:
    """What is known of a record can be kept as long as the record itself."""

    __slots__ = ("__weakref__",)


@dataclass(frozen=True, slots=True, eq=False)
class Slices(_Referable):
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
    correlation: Int32s | Int64s
    """Joins a runtime call with the device rows it launched; -1 where there is none. As narrow as all
    numbers of the trace fit."""

    def __len__(self) -> int:
        return len(self.start_ns)

    @property
    def end_ns(self) -> Int64s:
        """The end of each row, start and duration together."""
        return self.start_ns + self.duration_ns

    def end_of(self, rows: Int64s) -> Int64s:
        """The end of each of `rows`, in ns."""
        return self.start_ns[rows] + self.duration_ns[rows]

    @classmethod
    def empty(cls) -> Slices:
        """No rows."""
        times, numbers = np.empty(0, np.int64), np.empty(0, np.int32)
        return cls(times, times, numbers, np.empty(0, np.int8), numbers, times)


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """One file, read. Instants are ns on the file's own axis; `origin_ns` leads to the Unix epoch.

    An importer fills what its format has; the rest is empty.
    """

    path: str
    slices: Slices
    names: tuple[str, ...]
    lanes: tuple[Lane, ...]
    device: SparseColumn = NO_NUMBERS
    """Number of the device a GPU row ran on; -1 if missing. Runtime rows have none."""
    stream: SparseColumn = NO_NUMBERS
    """Stream of a GPU row or of a `SYNC` row (there -1 means: none named); missing: -1."""
    bytes: SparseColumn = NO_SIZES
    """Size of a copy or memset; missing: 0."""
    bandwidth_gb_s: SparseFloats = NO_FRACTIONS
    """Speed of a copy or memset, by its time in ns even where the file's own times are in whole us."""
    copy_kind: SparseColumn = NO_SIZES
    """`args.kind` of a ROCm copy call (1 HtoD, 2 DtoH, 3 DtoD, 4 default); missing: 0."""
    awaited_stream: SparseColumn = NO_NUMBERS
    """`wait_on_stream` of a `SYNC` row; missing: -1."""
    awaited_record: SparseColumn = NO_NUMBERS
    """`wait_on_cuda_event_record_corr_id` of a `SYNC` row; missing: -1."""
    call_stack: SparseColumn = NO_NUMBERS
    """2021's `Call stack` of an operator, as an index into `names`; missing: -1."""

    # Arguments of one kind of row each; a row without one has -1.
    input_shapes: SparseColumn = NO_NUMBERS
    """`Input Dims` of an op, as an index into `names`: JSON without spaces, as `[[2,3],[]]`."""
    input_types: SparseColumn = NO_NUMBERS
    """The same of `Input type`, as `["float","Scalar"]`."""
    concrete_inputs: SparseColumn = NO_NUMBERS
    """The same of `Concrete Inputs`, as `["","1"]`: the values of inputs that are no tensors."""
    sync_kind: SparseColumn = NO_NUMBERS
    """`cuda_sync_kind` of a `SYNC` row, as an index into `names`."""
    blocks_per_sm: SparseFloats = NO_FRACTIONS
    """Blocks of a kernel over the multiprocessors of its device."""
    occupancy_percent: SparseColumn = NO_NUMBERS
    """Kineto's estimate for a kernel; 0 where it could make none, -1 where it is missing."""
    collective_name: SparseColumn = NO_NUMBERS
    """The name of an op or kernel of torch.distributed, as an index into `names`, such as `allreduce`."""
    launch_stack: SparseColumn = NO_NUMBERS
    """The frames that launched a node of a CUDA graph while it was recorded, as an index into `names`:
    `file(line): function`, innermost first, with semicolons; from a file beside the trace."""
    # Tables that only some readers want; None where nobody asked for one.
    kernels: KernelColumns | None = None
    graphs: GraphColumns | None = None
    collectives: CollectiveColumns | None = None
    modules: ModuleColumns | None = None
    autograd: AutogradColumns | None = None
    memory: MemoryEvents | None = None

    device_names: Mapping[int, str] = field(default_factory=dict)
    """The devices that the file describes, by number; "" where it gives no name."""
    rank: int | None = None
    world_size: int | None = None
    era: str = ""
    """"2021", "2022", "2023" or "2024+"; "" of what is no file of Kineto."""
    origin_ns: int = 0
    """Unix time, in ns, of instant 0 (0 where the file's instants are Unix times already)."""
    num_events: int = 0
    """All events of the file that were read, of every phase, metadata included."""
    facts: HookFacts | None = None
    health: tuple[HealthFact, ...] = ()
    """What was lost or odd while reading."""

    @property
    def own_rank(self) -> int | None:
        """The rank as the hook says it, else as torch does."""
        return self.rank if self.facts is None or self.facts.rank is None else self.facts.rank

    @property
    def is_cut_off(self) -> bool:
        """Whether the file breaks off among its events.

        The profiler writes last of all what a device did, and not in the order of time. Any of it may be
        lost, with the calls that launched it, and nothing tells how much.
        """
        return any(fact.code == "truncated" for fact in self.health)

    @classmethod
    def empty(cls, path: str = "") -> Trace:
        """A trace of no rows."""
        return cls(path, Slices.empty(), names=(), lanes=())
