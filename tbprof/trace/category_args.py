"""Which arguments the rows of each category have, and how their columns are kept."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from tbprof.trace.columns import Category

__all__ = ["ARGS", "COLLECTIVE", "FRACTIONS", "GPU_PLACE", "NUMBERS", "ArgGroup", "NumberField"]

_WIDE = (
    *("python_id", "python_parent", "bytes"),
    *("in_message_elements", "out_message_elements", "awaited_record"),
)
_MISSING = {"bytes": 0, "copy_kind": 0}
FRACTIONS = ("blocks_per_sm", "warps_per_sm")


@dataclass(frozen=True, slots=True)
class NumberField:
    """A field of `SliceArgs` that becomes the column of the same name."""

    name: str
    read: attrgetter[Any]
    dtype: type[np.int64] | type[np.int32] | type[np.float32]
    """64 bits only where a number may need them."""
    missing: int
    """What stands for a number that is not there."""


@dataclass(frozen=True, slots=True)
class ArgGroup:
    """Arguments that the same rows have. No two groups have a field in common."""

    categories: frozenset[Category]
    """Whose rows have them."""
    is_of: npt.NDArray[np.bool_]
    """The same, by the number of each category."""
    numbers: tuple[NumberField, ...]
    texts: tuple[str, ...]
    """Fields of raw JSON, to be interned."""


def _number(name: str) -> NumberField:
    narrow = np.float32 if name in FRACTIONS else np.int32
    return NumberField(name, attrgetter(name), np.int64 if name in _WIDE else narrow, _MISSING.get(name, -1))


def _group(*categories: Category, numbers: str = "", texts: str = "") -> ArgGroup:
    is_of = np.isin(np.arange(len(Category)), categories)
    return ArgGroup(frozenset(categories), is_of, tuple(map(_number, numbers.split())), tuple(texts.split()))


_WORK = (Category.KERNEL, Category.MEMCPY, Category.MEMSET)

GPU_PLACE = _group(*_WORK, Category.SYNC, Category.GPU_ANNOTATION, numbers="device stream")
"""Where a GPU row ran; the lane says it where they do not."""
COLLECTIVE = _group(
    *(Category.CPU_OP, Category.KERNEL),
    numbers="group_size in_message_elements out_message_elements",
    texts="collective_name collective_dtype process_group process_group_ranks",
)
"""What few ops and kernels have: those of torch.distributed."""
ARGS = (
    _group(
        *(Category.CPU_OP, Category.USER_ANNOTATION),
        texts="input_shapes input_types concrete_inputs call_stack",
    ),
    _group(Category.PYTHON, numbers="python_id python_parent python_module"),
    _group(Category.RUNTIME, numbers="copy_kind"),
    _group(
        Category.KERNEL,
        numbers="registers_per_thread shared_memory_bytes occupancy_percent blocks_per_sm warps_per_sm",
        texts="grid block",
    ),
    _group(Category.MEMCPY, Category.MEMSET, numbers="bytes"),
    _group(Category.SYNC, numbers="awaited_stream awaited_record", texts="sync_kind"),
    GPU_PLACE,
    COLLECTIVE,
)
NUMBERS = tuple(field for group in ARGS for field in group.numbers)
