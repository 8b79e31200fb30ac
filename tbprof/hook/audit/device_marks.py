"""The mark on a tensor's storage: where it would be on a machine with a GPU, and what moved it there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from torch import Tensor
from torch.nn import Parameter

from tbprof.hook.safety.program_values import is_a, is_tensor, items_of, needs_gradient, storage_of
from tbprof.model import DEVICE, HOST, UNKNOWN

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
    if not is_tensor(tensor):
        return HOST
    # What torch differentiates is a parameter, whatever its class, or was computed with one.
    if moving is None and needs_gradient(tensor):
        return DEVICE
    if _is_parameter(tensor):
        return DEVICE
    mark = _mark_of(tensor)
    if mark is not None and mark.moved_by is not None and mark.moved_by == moving:
        return mark.before
    return DEVICE if needs_gradient(tensor) else UNKNOWN if mark is None else mark.place


def places_of(values: Iterable[Any]) -> Iterable[str]:
    for value in values:
        if is_tensor(value):
            yield place_of(value)
        elif is_a(value, list, tuple):
            yield from places_of(items_of(value))


def mark_new(result: Any, place: str) -> None:
    """What is computed on the device is there, whatever it was taken for; else the first mark stays."""
    for tensor in (result,) if is_tensor(result) else _tensors(result):
        try:
            storage = storage_of(tensor)
            mark = getattr(storage, "_tbprof_mark", None)
            if mark is None or (place == DEVICE and mark.moved_by is not None):
                storage._tbprof_mark = Mark(place)
        except (NotImplementedError, RuntimeError):
            # Sparse tensors, and wrappers of others, have no storage of their own.
            continue


def put_mark(result: Any, mark: Mark) -> None:
    for tensor in _tensors(result):
        with contextlib.suppress(NotImplementedError, RuntimeError):
            storage_of(tensor)._tbprof_mark = mark


def _mark_of(tensor: Tensor) -> Mark | None:
    """None as well of what has no storage of its own: sparse tensors, and wrappers of others."""
    try:
        mark: Mark | None = getattr(storage_of(tensor), "_tbprof_mark", None)
    except (NotImplementedError, RuntimeError):
        return None
    return mark


def _is_parameter(tensor: Tensor) -> bool:
    """Whether it is one, of torch's class or, as torch marks them, of another."""
    kind = type(tensor)
    if kind is Tensor or issubclass(kind, Parameter):
        return kind is not Tensor
    return bool(object.__getattribute__(tensor, "__dict__").get("_is_param"))


def _tensors(result: Any) -> Iterable[Tensor]:
    if is_tensor(result):
        yield result
    elif is_a(result, list, tuple):
        for item in items_of(result):
            yield from _tensors(item)
