"""When an op of the table does what its row says: one function for each name of a condition."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import torch
from torch import Tensor

from tbprof.optable import Condition
from tbprof.preflight.device_marks import Place, is_of_device, is_on_device, place_of

Holds: TypeAlias = Callable[[Sequence[Any], Mapping[str, Any]], bool]
"""Whether it does, from the arguments as torch's dispatcher gives them."""

MASKS = (torch.bool, torch.uint8)


def _always(_args: Sequence[Any], _kwargs: Mapping[str, Any]) -> bool:
    return True


def _without_output_size(_args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    return kwargs.get("output_size") is None


def _without_num_classes(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    return bool((args[1] if len(args) > 1 else kwargs.get("num_classes", -1)) == -1)


def _without_range(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """`histc(self, bins, min, max)`: equal bounds stand for those of the data."""
    low = args[2] if len(args) > 2 else kwargs.get("min", 0)
    high = args[3] if len(args) > 3 else kwargs.get("max", 0)
    return bool(low == high)


def _tensor_std(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    return isinstance(args[1] if len(args) > 1 else kwargs.get("std"), Tensor)


def _checked_lengths(_args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    return not kwargs.get("unsafe", False)


def _checked_errors(_args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    return bool(kwargs.get("check_errors", False))


def _device_mask(args: Sequence[Any], _kwargs: Mapping[str, Any]) -> bool:
    return any(part.dtype in MASKS and is_on_device(part) for part in index_parts(args))


def _device_mask_filled(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    return _device_mask(args, kwargs) and not _is_masked_fill(args, kwargs)


def _is_masked_fill(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """One mask and one number of the host, which is not added, are a `masked_fill`: it needs no size
    (`canDispatchToMaskedFill` of `TensorAdvancedIndexing.cpp`).
    """
    parts, value = index_parts(args), _values(args, kwargs)
    is_added = args[3] if len(args) > 3 else kwargs.get("accumulate", False)
    is_number = value.numel() == 1 and not is_on_device(value)
    return len(parts) == 1 and parts[0].dtype in MASKS and is_number and not is_added


def moved_numbers(args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Tensor]:
    """The single numbers of the host that `where` and `index_put_` copy to the device first.

    A number of Python's that is assigned is a tensor of the host by then (`THPVariable_setitem`).
    """
    numbers = (value for value in (*args, *kwargs.values()) if isinstance(value, Tensor) and value.dim() == 0)
    on_host = [number for number in numbers if (place := place_of(number)) is not None and place.is_host]
    is_assigned = isinstance(args[1], (list, tuple))
    return [] if is_assigned and _is_masked_fill(args, kwargs) else on_host


def _uncoalesced(args: Sequence[Any], _kwargs: Mapping[str, Any]) -> bool:
    """CUDA's products of sparse and dense matrices coalesce first (`SparseCUDATensorMath.cu`)."""
    return any(
        isinstance(value, Tensor) and value.layout is torch.sparse_coo and not value.is_coalesced()
        for value in args
    )


def _different_memory(args: Sequence[Any], _kwargs: Mapping[str, Any]) -> bool:
    """Unlike shapes are unequal, and a tensor is equal to itself, whatever it holds (`Equal.cpp`)."""
    one, other = args[:2]
    is_strided = one.layout is other.layout is torch.strided and torch._C._is_alias_of(one, other)
    is_same = one is other or (
        is_strided
        and (one.storage_offset(), one.stride(), one.dtype)
        == (other.storage_offset(), other.stride(), other.dtype)
    )
    return one.shape == other.shape and one.numel() > 0 and not is_same


def index_parts(args: Sequence[Any]) -> list[Tensor]:
    """The tensors among the indexes of `index` and its like."""
    return [part for part in args[1] if part is not None]


def host_indexes(args: Sequence[Any]) -> list[Tensor]:
    """The indexes that are known to be on the host: lists, ranges, arrays and tensors."""
    placed = ((part, place_of(part)) for part in index_parts(args))
    return [part for part, place in placed if place is not None and place.is_host]


def is_index_apart(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether `index` or its like raises for where its tensors are.

    The device takes indexes of the host, the host none of the device; what is written has to be where
    the indexed tensor is, but for single numbers (`TensorAdvancedIndexing.cpp`).
    """
    at, values = place_of(args[0]), _values(args, kwargs)
    if at is None:
        return False
    if at.is_host and any(is_on_device(part) for part in index_parts(args)):
        return True
    of = place_of(values) if isinstance(values, Tensor) and values.numel() > 1 else None
    return of is not None and of.is_host != at.is_host


def is_generator_apart(kwargs: Mapping[str, Any], place: Place) -> bool:
    """Whether a generator is not where the numbers are that an op draws with it."""
    generator = kwargs.get("generator")
    return generator is not None and is_of_device(generator) != place.is_device


def _values(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """What an op writes to the places that it indexes; None of one that reads them."""
    return args[2] if len(args) > 2 else kwargs.get("values")


CONDITIONS: dict[Condition, Holds] = {
    "always": _always,
    "without_output_size": _without_output_size,
    "without_num_classes": _without_num_classes,
    "without_range": _without_range,
    "tensor_std": _tensor_std,
    "checked_lengths": _checked_lengths,
    "checked_errors": _checked_errors,
    "device_mask": _device_mask,
    "device_mask_filled": _device_mask_filled,
    "uncoalesced": _uncoalesced,
    "different_memory": _different_memory,
}
