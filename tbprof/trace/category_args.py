"""Which arguments the rows of each category have, and how their columns are kept."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from tbprof.trace.columns import Category

__all__ = [
    "ARGS",
    "COLLECTIVE",
    "EARLIER",
    "FRACTIONS",
    "INTEGERS",
    "MAY_BE_COLLECTIVE",
    "ArgField",
    "ArgFields",
]

_WIDE = (
    *("external_id", "python_id", "python_parent", "sequence_number", "forward_thread", "bytes"),
    *("graph", "graph_node", "in_message_elements", "out_message_elements", "awaited_record"),
)
_MISSING = {"bytes": 0, "copy_kind": 0}
FRACTIONS = ("blocks_per_sm", "warps_per_sm")


@dataclass(frozen=True, slots=True)
class ArgField:
    """A field of `SliceArgs` that becomes the column of the same name."""

    name: str
    read: attrgetter[Any]
    dtype: type[np.int64] | type[np.int32]
    """64 bits only where a number may need them."""
    missing: int
    """What stands for a number that is not there."""


@dataclass(frozen=True, slots=True)
class ArgFields:
    """What the rows of a category have."""

    numbers: tuple[ArgField, ...]
    texts: tuple[ArgField, ...]
    """Raw JSON, to be interned."""


def _field(name: str) -> ArgField:
    dtype = np.int64 if name in _WIDE else np.int32
    return ArgField(name, attrgetter(name), dtype, _MISSING.get(name, -1))


def _fields(numbers: str = "", texts: str = "") -> ArgFields:
    return ArgFields(tuple(map(_field, numbers.split())), tuple(map(_field, texts.split())))


_OP_TEXTS = "input_shapes input_types concrete_inputs call_stack"
_ON_DEVICE = "external_id device stream"
_KERNEL = "registers_per_thread shared_memory_bytes occupancy_percent blocks_per_sm warps_per_sm"

ARGS = {
    Category.CPU_OP: _fields("external_id sequence_number forward_thread", _OP_TEXTS),
    Category.USER_ANNOTATION: _fields("external_id", _OP_TEXTS),
    Category.PYTHON: _fields("python_id python_parent python_module"),
    Category.RUNTIME: _fields("external_id copy_kind"),
    Category.KERNEL: _fields(f"{_ON_DEVICE} graph graph_node {_KERNEL}", "grid block"),
    Category.MEMCPY: _fields(f"{_ON_DEVICE} graph graph_node bytes"),
    Category.MEMSET: _fields(f"{_ON_DEVICE} graph graph_node bytes"),
    Category.SYNC: _fields(f"{_ON_DEVICE} awaited_stream awaited_record", "sync_kind"),
    Category.GPU_ANNOTATION: _fields(_ON_DEVICE),
}
MAY_BE_COLLECTIVE = (Category.CPU_OP, Category.KERNEL)
COLLECTIVE = _fields(
    "group_size in_message_elements out_message_elements",
    "collective_name collective_dtype process_group process_group_ranks",
)
"""What ops and kernels have as well where any of them names a collective."""

EARLIER = {"external_id": attrgetter("external_id_2021")}
"""What is read where no row has the field: its name in an earlier era."""
INTEGERS = {
    field.name: field
    for fields in (*ARGS.values(), COLLECTIVE)
    for field in (*fields.numbers, *fields.texts)
    if field.name not in FRACTIONS
}
