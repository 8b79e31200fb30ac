"""The arguments of one event of a Kineto file as records: the only place that knows their keys."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import TypeAlias, cast

import msgspec

from tbprof.trace.columns.tables import ARGUMENT_TABLES, Tables

Scalar: TypeAlias = "float | str | None"

_RENAMED = {
    "concrete_inputs": "Concrete Inputs",
    "input_types": "Input type",
    "input_shapes": "Input Dims",
    "call_stack": "Call stack",
    "autograd_number": "Sequence number",
    "forward_thread": "Fwd thread id",
    "python_module": "Python module id",
    "sync_kind": "cuda_sync_kind",
    "awaited_stream": "wait_on_stream",
    "awaited_record": "wait_on_cuda_event_record_corr_id",
    "registers_per_thread": "registers per thread",
    "shared_memory_bytes": "shared memory",
    "blocks_per_sm": "blocks per SM",
    "warps_per_sm": "warps per SM",
    "occupancy_percent": "est. achieved occupancy %",
    "graph": "graph id",
    "graph_node": "graph node id",
    "graph_name": "name",
    "graph_text": "str",
    "graph_annotation": "annotation",
    "graph_module": "module_fqn",
    "graph_phase": "autograd_phase",
    "bandwidth_gb_s": "memory bandwidth (GB/s)",
    "copy_kind": "kind",
    "collective_name": "Collective name",
    "collective_dtype": "dtype",
    "group_size": "Group size",
    "in_message_elements": "In msg nelems",
    "out_message_elements": "Out msg nelems",
    "process_group": "Process Group Name",
    "process_group_ranks": "Process Group Ranks",
    "sequence_number": "Seq",
    "source_rank": "Src Rank",
    "destination_rank": "Dst Rank",
}
ABSENT = msgspec.Raw()
"""What stands for raw JSON that is not there; compare by identity."""


class SliceArgs(msgspec.Struct, frozen=True, gc=False, rename=_RENAMED):
    """The arguments of a complete event that tbprof can read. Ints are exact below 2^53.

    What most rows have stands first, and then each key near the one that Kineto writes before
    it: the decoder looks for a key after the last one first. A number that is not there is -1.
    """

    correlation: float = -1.0
    python_module: Scalar = -1.0
    autograd_number: Scalar = -1.0
    forward_thread: Scalar = -1.0
    concrete_inputs: msgspec.Raw = ABSENT
    input_types: msgspec.Raw = ABSENT
    input_shapes: msgspec.Raw = ABSENT
    call_stack: msgspec.Raw = ABSENT
    kernel_kwargs: msgspec.Raw = ABSENT
    kernel_file: msgspec.Raw = ABSENT
    device: Scalar = -1.0
    stream: Scalar = -1.0
    registers_per_thread: Scalar = -1.0
    shared_memory_bytes: Scalar = -1.0
    blocks_per_sm: Scalar = -1.0
    warps_per_sm: Scalar = -1.0
    grid: msgspec.Raw = ABSENT
    block: msgspec.Raw = ABSENT
    occupancy_percent: Scalar = -1.0
    graph: Scalar = -1.0
    graph_node: Scalar = 0.0
    bytes: Scalar = 0.0
    """ROCm gives it as a string on its copy calls."""
    bandwidth_gb_s: Scalar = -1.0
    copy_kind: Scalar = 0.0
    """On a ROCm copy call the direction, "1" to "4"; on GPU rows a word."""
    sync_kind: msgspec.Raw = ABSENT
    awaited_stream: Scalar = -1.0
    awaited_record: Scalar = -1.0
    collective_name: msgspec.Raw = ABSENT
    in_message_elements: Scalar = -1.0
    out_message_elements: Scalar = -1.0
    group_size: Scalar = -1.0
    collective_dtype: msgspec.Raw = ABSENT
    process_group: msgspec.Raw = ABSENT
    process_group_ranks: msgspec.Raw = ABSENT
    sequence_number: Scalar = -1.0
    source_rank: Scalar = -1.0
    destination_rank: Scalar = -1.0
    graph_name: msgspec.Raw = ABSENT
    """What torch's `mark_kernels` was given, which stands last."""
    graph_text: msgspec.Raw = ABSENT
    graph_annotation: msgspec.Raw = ABSENT
    graph_module: msgspec.Raw = ABSENT
    graph_phase: msgspec.Raw = ABSENT
    original_stream: Scalar = -1.0


NO_ARGS = SliceArgs()


_TABLE_OF = {column.name: table for table, record in ARGUMENT_TABLES.items() for column in fields(record)}


@cache
def declared_fields(record: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    """The declared fields of a record of arguments: to look at their types takes half a millisecond."""
    return msgspec.structs.fields(record)


@cache
def fields_for(tables: Tables) -> frozenset[str]:
    """The fields of `SliceArgs` without those of tables that are not among `tables`."""
    names = (field.name for field in declared_fields(SliceArgs))
    return frozenset(name for name in names if _TABLE_OF.get(name) in (None, *tables))


@cache
def args_with(names: frozenset[str]) -> type[SliceArgs]:
    """`SliceArgs` with these fields only; nobody may ask it for the others.

    What a record has no field for is skipped, and costs next to nothing.
    """
    kept = [
        (field.name, field.type, field.default) for field in declared_fields(SliceArgs) if field.name in names
    ]
    keys = {name: key for name, key in _RENAMED.items() if name in names}
    record = msgspec.defstruct(SliceArgs.__name__, kept, frozen=True, gc=False, rename=keys)
    return cast("type[SliceArgs]", record)


class LabelArgs(msgspec.Struct, frozen=True, gc=False):
    """`name` is there for `thread_name` and `process_name` only."""

    name: Scalar = None


class InstantArgs(
    msgspec.Struct,
    frozen=True,
    gc=False,
    rename={
        "total_reserved_bytes": "Total Reserved",
        "total_allocated_bytes": "Total Allocated",
        "bytes": "Bytes",
        "address": "Addr",
        "device": "Device Id",
        "device_type": "Device Type",
    },
):
    """The arguments of a `[memory]` event. Totals are -1 where the allocator keeps none."""

    total_reserved_bytes: Scalar = -1.0
    total_allocated_bytes: Scalar = -1.0
    bytes: Scalar = 0.0
    address: Scalar = -1.0
    device: Scalar = -1.0
    device_type: Scalar = -1.0
