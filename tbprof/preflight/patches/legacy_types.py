"""Tensor types of the time before `dtype` and `device`: `torch.cuda.FloatTensor` and its like."""

from __future__ import annotations

from functools import wraps
from typing import Any

import torch
from torch import Tensor

from tbprof.line_rules import LEGACY_TYPES
from tbprof.preflight.device_marks import current, device_place, is_on_device, mark, place_of
from tbprof.preflight.patch import Patch, instead
from tbprof.preflight.patches.device_moves import moved

_CUDA, _HOST = "torch.cuda.", "torch."


class _TensorType(type):
    """A class of tensors of the device; calling it makes one."""

    host_type: Any
    dtype: torch.dtype
    is_cuda = True
    is_sparse = False
    layout = torch.strided

    def __call__(cls, *args: Any, **_device: Any) -> Tensor:
        made: Tensor = cls.host_type(*args)
        place = device_place(current.index)
        if not args or isinstance(args[0], (int, torch.Size)):
            mark(made, place)
        elif not is_on_device(made):
            return moved(made, place, call=cls.__name__, non_blocking=False, copied=made.clone)
        return made

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and is_on_device(instance) and instance.dtype is cls.dtype


def _made(name: str) -> Any:
    host_type = getattr(torch, name)
    members = {"host_type": host_type, "dtype": host_type.dtype, "__module__": "torch.cuda"}
    return _TensorType(name, (), members)


_TYPES = {name: _made(name) for name in LEGACY_TYPES}


def _named(wanted: Any) -> str:
    """The full name of a tensor type, however it is given; "" for a dtype."""
    if isinstance(wanted, str):
        return wanted
    if isinstance(wanted, type) and wanted.__name__ in _TYPES:
        return f"{wanted.__module__}.{wanted.__name__}"
    return ""


def _type(original: Any) -> Any:
    """Names the type of a tensor, or moves and converts it to another one."""

    @wraps(original)
    def type_(self: Tensor, dtype: Any = None, non_blocking: bool = False, **kwargs: Any) -> Any:
        if dtype is None:
            name: str = original(self)
            return name.replace(_HOST, _CUDA, 1) if is_on_device(self) else name
        wanted = _named(dtype)
        if wanted.startswith(_CUDA):
            there = self.cuda(non_blocking=non_blocking)
            return original(there, wanted.replace(_CUDA, _HOST, 1), non_blocking, **kwargs)
        return original(self.cpu() if wanted else self, dtype, non_blocking, **kwargs)

    return type_


def _type_as(original: Any) -> Any:
    """Moves and converts a tensor to the type of another."""

    @wraps(original)
    def type_as(self: Tensor, other: Tensor) -> Tensor:
        place, of = place_of(other), place_of(self)
        if place is None or (of is not None and of.device == place.device):
            same: Tensor = original(self, other)
            return same
        if of is None and place.is_host:
            return self.to(other.dtype)
        return moved(
            self,
            place,
            call="type_as",
            non_blocking=False,
            copied=lambda: self.to(other.dtype, copy=True),
        )

    return type_as


def _new(original: Any) -> Any:
    """`x.new(...)`: sizes give memory where `x` is, values are made on the host and moved there."""

    @wraps(original)
    def new(self: Tensor, *args: Any, **_device: Any) -> Tensor:
        made: Tensor = original(self, *args)
        place = place_of(self)
        if place is None or (args and isinstance(args[0], Tensor)):
            return made
        if place.is_host or not args or isinstance(args[0], (int, torch.Size)):
            mark(made, place)
            return made
        return moved(made, place, call="new", non_blocking=False, copied=made.clone)

    return new


class _Default:
    """The device's type that the program made the default one; None for one of the host's."""

    type: _TensorType | None = None


def _default_type(original: Any) -> Any:
    """The default type of the device: the same as a default device and a default dtype."""

    @wraps(original)
    def set_default_tensor_type(wanted: Any) -> None:
        name = _named(wanted)
        _Default.type = _TYPES[name.removeprefix(_CUDA)] if name.startswith(_CUDA) else None
        if _Default.type is not None:
            torch.set_default_dtype(_Default.type.dtype)
            torch.set_default_device("cuda")
        else:
            torch.set_default_device(None)
            original(wanted)

    return set_default_tensor_type


def _constructed(_absent: Any) -> Any:
    """`torch.Tensor(...)` makes a tensor of the default type.

    Under a dispatch mode torch makes none of a subclass: what it makes has an object of `Tensor` already.
    """

    # Torch's compiler compares the names of the arguments, unless there are none.
    def new(*args: Any, **options: Any) -> Any:
        cls, *values = args
        if _Default.type is not None and not options:
            made = _Default.type(*values)
        else:
            made = torch._C.TensorBase.__new__(Tensor, *values, **options)
        return made if cls is Tensor else made.as_subclass(cls)

    return staticmethod(new)


PATCHES = (
    *(Patch("torch.cuda", name, instead(made)) for name, made in _TYPES.items()),
    Patch("torch:Tensor", "type", _type),
    Patch("torch:Tensor", "type_as", _type_as),
    Patch("torch:Tensor", "new", _new),
    Patch("torch:Tensor", "__new__", _constructed, is_new=True),
    Patch("torch", "set_default_tensor_type", _default_type),
)
