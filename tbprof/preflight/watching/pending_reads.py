"""Copies to the host that were not waited for: whoever reads their target reads old data."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from tbprof.preflight.base.device_marks import place_of
from tbprof.preflight.watching.recording import Event, note

is_any = False
"""Whether there are such copies: nearly always there are none, and each op asks."""

_storages: list[Any] = []


def expect(target: Tensor) -> None:
    """A copy that does not block was begun into this tensor of the host."""
    global is_any
    storage = target.untyped_storage()
    storage._tbprof_is_awaited = True
    _storages.append(storage)
    is_any = True


def forget_all() -> None:
    """The host waited for the device: all copies before that have ended."""
    global is_any
    for storage in _storages:
        storage._tbprof_is_awaited = False
    _storages.clear()
    is_any = False


def check(op: str, args: Any) -> None:
    """Note the tensors of an op on the host that may still hold old data."""
    for value in args:
        if isinstance(value, Tensor):
            check_read(value, op.partition("::")[2], (op,))
        elif isinstance(value, (list, tuple)):
            check(op, value)


def check_read(tensor: Tensor, call: str, ops: tuple[str, ...] = ()) -> None:
    """Note a read of a tensor whose copy nothing waited for."""
    place = place_of(tensor)
    if place is None or place.is_device:
        return
    if getattr(tensor.untyped_storage(), "_tbprof_is_awaited", False):
        note(Event("race", call, ops, "read", blocking=False))
