"""The mark on a tensor's storage: where it would be on a machine with a GPU, and what moved it there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from torch import Tensor
from torch.nn import Parameter

from tbprof.model import DEVICE, HOST, UNKNOWN

__all__ = ["Line", "Mark", "mark_new", "place_of", "places_of", "put_mark"]

Line: TypeAlias = tuple[str, int]
"""A file, as Python spells it, and a line."""


@dataclass(slots=True)
class Mark:
    place: str
    moved_by: int | None = None
    """The calls that moved it: without a GPU they give the same tensor, and move it again in each step."""
    before: str = UNKNOWN
    """Where it was before that."""


def place_of(tensor: Any, moving: int | None = None) -> str:
    """Where a tensor is; for the calls that moved it in an earlier step, where it was before."""
    if not isinstance(tensor, Tensor):
        return HOST
    # What torch differentiates is a parameter, whatever its class, or was computed with one.
    if moving is None and tensor.requires_grad:
        return DEVICE
    # Asking for the class of what can't be one takes 1 us.
    if type(tensor) is not Tensor and isinstance(tensor, Parameter):
        return DEVICE
    mark = _mark_of(tensor)
    if mark is not None and mark.moved_by is not None and mark.moved_by == moving:
        return mark.before
    return DEVICE if tensor.requires_grad else UNKNOWN if mark is None else mark.place


def places_of(values: Iterable[Any]) -> Iterable[str]:
    for value in values:
        if isinstance(value, Tensor):
            yield place_of(value)
        elif isinstance(value, (list, tuple)):
            yield from places_of(value)


def mark_new(result: Any, place: str) -> None:
    """What is computed on the device is there, whatever it was taken for; else the first mark stays."""
    for tensor in (result,) if isinstance(result, Tensor) else _tensors(result):
        try:
            storage = tensor.untyped_storage()
            mark = getattr(storage, "_tbprof_mark", None)
            if mark is None or (place == DEVICE and mark.moved_by is not None):
                storage._tbprof_mark = Mark(place)
        except (NotImplementedError, RuntimeError):
            # Sparse tensors, and wrappers of others, have no storage of their own.
            continue


def put_mark(result: Any, mark: Mark) -> None:
    for tensor in _tensors(result):
        with contextlib.suppress(NotImplementedError, RuntimeError):
            tensor.untyped_storage()._tbprof_mark = mark


def _mark_of(tensor: Tensor) -> Mark | None:
    """None as well of what has no storage of its own: sparse tensors, and wrappers of others."""
    try:
        mark: Mark | None = getattr(tensor.untyped_storage(), "_tbprof_mark", None)
    except (NotImplementedError, RuntimeError):
        return None
    return mark


def _tensors(result: Any) -> Iterable[Tensor]:
    if isinstance(result, Tensor):
        yield result
    elif isinstance(result, (list, tuple)):
        for item in result:
            yield from _tensors(item)
