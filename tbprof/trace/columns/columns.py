"""A trace as columns: what the reader makes and everything above it reads.

One row stands for one complete event (`"ph": "X"`), in file order. Names are interned:
a column holds an index into a table of strings. Fields that few rows have are sparse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from tbprof.model import HealthFact, HookFacts
from tbprof.trace.columns.arrays import Int8s, Int32s, Int64s, SparseColumn, SparseFloats

__all__ = [
    "Category",
    "Int8s",
    "Int32s",
    "Int64s",
    "Lane",
    "MemoryEvents",
    "Slices",
    "SparseColumn",
    "SparseFloats",
    "Trace",
]


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
    MTIA = 11
    """Device rows of an accelerator that is no GPU, as the one below: known to be there, and not read."""
    HPU = 12


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
class MemoryEvents:
    """What the allocators did: the `[memory]` instants, in file order, one entry of each column an event."""

    time_ns: Int64s
    lane: Int32s
    """Index into `Trace.lanes`."""
    bytes: Int64s
    """Negative where memory was given back."""
    total_allocated_bytes: Int64s
    """Of the device, right after; -1 if not recorded."""
    total_reserved_bytes: Int64s
    device_type: Int8s
    """c10's number of the kind: 0 CPU, 1 CUDA (ROCm too)."""
    device: Int8s
    """Number of the device; -1 for the CPU."""
    address: Int64s
    """-1 if not recorded."""

    def __len__(self) -> int:
        return len(self.time_ns)


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

    # Arguments of one kind of row each; a row without one has -1.
    input_shapes: SparseColumn
    """`Input Dims` of an op, as an index into `names`: JSON without spaces, as `[[2,3],[]]`."""
    input_types: SparseColumn
    """The same of `Input type`, as `["float","Scalar"]`."""
    concrete_inputs: SparseColumn
    """The same of `Concrete Inputs`, as `["","1"]`: the values of inputs that are no tensors."""
    python_id: SparseColumn
    """Of a Python frame."""
    python_parent: SparseColumn
    """`python_id` of the frame that called it; the outermost have none."""
    python_module: SparseColumn
    """Number of an `nn.Module` among those of its class."""
    sync_kind: SparseColumn
    """`cuda_sync_kind` of a `SYNC` row, as an index into `names`."""
    grid: SparseColumn
    """Blocks of a kernel in x, y, z, as an index into `names`, as `[16,15,1]`."""
    block: SparseColumn
    """The same of the threads of a block."""
    registers_per_thread: SparseColumn
    shared_memory_bytes: SparseColumn
    occupancy_percent: SparseColumn
    """Kineto's estimate for a kernel; 0 where it could make none."""
    blocks_per_sm: SparseFloats
    """Blocks of a kernel over the multiprocessors of its device."""
    warps_per_sm: SparseFloats
    collective_name: SparseColumn
    """Of an op or kernel of torch.distributed, as an index into `names`, as `allreduce`."""
    collective_dtype: SparseColumn
    """The same, as `Float`."""
    process_group: SparseColumn
    process_group_ranks: SparseColumn
    """The same: `[0, 1]`, cut short by PyTorch where there are many."""
    group_size: SparseColumn
    in_message_elements: SparseColumn
    out_message_elements: SparseColumn

    memory: MemoryEvents
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
