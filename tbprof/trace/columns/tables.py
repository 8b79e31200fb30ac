"""Tables of a trace that are read only for those who ask.

A file is read once and for what its reader wants: what nobody wants is not decoded, not sent between
processes and not kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

import numpy as np

from tbprof.records import dataclass
from tbprof.trace.columns.arrays import (
    Int8s,
    Int32s,
    Int64s,
    SparseColumn,
    SparseFloats,
    distinct,
)

Table: TypeAlias = Literal["kernels", "graphs", "collectives", "modules", "autograd", "memory"]
"""A field of `Trace`."""
Tables: TypeAlias = frozenset[Table]


@dataclass(frozen=True, slots=True, eq=False)
class KernelColumns:
    """What a kernel took of its device, and what compiled it."""

    grid: SparseColumn
    """Blocks of a kernel in x, y, z, as an index into `names`, as `[16,15,1]`."""
    block: SparseColumn
    """The same of the threads of a block."""
    registers_per_thread: SparseColumn
    shared_memory_bytes: SparseColumn
    warps_per_sm: SparseFloats
    kernel_file: SparseColumn
    """The source of an op that launches a Triton kernel of torch.compile, as an index into `names`."""
    kernel_kwargs: SparseColumn
    """The same: the block sizes it was tuned to, as `XBLOCK=16`."""


@dataclass(frozen=True, slots=True, eq=False)
class GraphColumns:
    """What a CUDA graph replays, and what the program said of it while it was recorded.

    The texts are those of torch's `mark_kernels`, which it puts among the arguments of a row.
    """

    graph: SparseColumn
    """Number of the CUDA graph that the row is a node of; CUDA's newer files have it."""
    graph_node: SparseColumn
    """Number of the node; missing: 0. Kineto has that of the graph in its upper half, others leave it out."""
    original_stream: SparseColumn
    """The stream of a row that torch shows on the lane of its scope."""
    graph_name: SparseColumn
    """The name of a scope, as an index into `names`."""
    graph_text: SparseColumn
    """The same of torch 2.13 and before, for a scope that is a text alone."""
    graph_annotation: SparseColumn
    """The same of a scope that is neither a text nor has fields."""
    graph_module: SparseColumn
    """The same: the path of the `nn.Module`, as torchtitan marks it."""
    graph_phase: SparseColumn
    """The same: `backward` of what autograd ran for a scope of the forward pass."""

    @property
    def nodes(self) -> Int32s:
        """The rows that are nodes of a graph, ascending; all others may have 0 for both numbers."""
        return distinct(np.concatenate([self.graph.rows[self.graph.values > 0], self.graph_node.rows]))


@dataclass(frozen=True, slots=True, eq=False)
class CollectiveColumns:
    """What an op or kernel of torch.distributed sent, and to whom."""

    collective_dtype: SparseColumn
    """The type as an index into `names`, such as `Float`."""
    process_group: SparseColumn
    """The same: its name."""
    process_group_ranks: SparseColumn
    """The same: `[0, 1]`, cut short by PyTorch where there are many."""
    group_size: SparseColumn
    in_message_elements: SparseColumn
    out_message_elements: SparseColumn
    sequence_number: SparseColumn
    """The number of the collective within its group, equal on all ranks; since torch 2.6."""
    source_rank: SparseColumn
    """The source of a send or receive; so is the next one the destination."""
    destination_rank: SparseColumn


@dataclass(frozen=True, slots=True, eq=False)
class ModuleColumns:
    """The `nn.Module` that a Python frame is a call of."""

    python_module: SparseColumn
    """Number of the module among those of its class."""


@dataclass(frozen=True, slots=True, eq=False)
class AutogradColumns:
    """The op of the forward pass that an op of the backward pass belongs to."""

    autograd_number: SparseColumn
    """`Sequence number`: the same of an op and of what autograd runs for it."""
    forward_thread: SparseColumn
    """torch's own number of the thread of the forward op; 0 of an op that is none of autograd's."""


@dataclass(frozen=True, slots=True, eq=False)
class MemoryEvents:
    """What the allocators did: the `[memory]` instants, in file order, one entry of each column an event."""

    time_ns: Int64s
    lane: Int32s
    """Index into `Trace.lanes`."""
    bytes: Int64s
    """Negative where memory was given back."""
    total_allocated_bytes: Int64s
    """The bytes of the device, right after; -1 if not recorded."""
    total_reserved_bytes: Int64s
    device_type: Int8s
    """c10's number of the kind: 0 CPU, 1 CUDA (ROCm too)."""
    device: Int8s
    """Number of the device; -1 for the CPU."""
    address: Int64s
    """-1 if not recorded."""

    def __len__(self) -> int:
        return len(self.time_ns)


ALL_TABLES: Tables = frozenset(("kernels", "graphs", "collectives", "modules", "autograd", "memory"))
NO_TABLES: Tables = frozenset()
ARGUMENT_TABLES: Mapping[
    Table, type[KernelColumns | GraphColumns | CollectiveColumns | ModuleColumns | AutogradColumns]
] = {
    "kernels": KernelColumns,
    "graphs": GraphColumns,
    "collectives": CollectiveColumns,
    "modules": ModuleColumns,
    "autograd": AutogradColumns,
}
"""Tables whose columns are arguments of rows. No two tables, nor a table and `Trace`, share a name."""
