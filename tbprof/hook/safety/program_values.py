"""The program's own values, looked at without running any of its code.

A lazy proxy may run code when it is asked for its `__class__`, a batch of a class of its own when it is gone
through, a tensor of a class of its own when it is asked for its device: data would be drawn twice, and random
numbers with it. So `type()` decides, and torch's and Python's own methods read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

_PLAIN = (Tensor, torch.nn.Parameter)
_GET_DEVICE = Tensor.device.__get__
_GET_DTYPE = Tensor.dtype.__get__
_GET_REQUIRES_GRAD = Tensor.requires_grad.__get__


_NAME_OF_CLASS = type.__dict__["__name__"].__get__


def class_name(value: Any) -> str:
    """What its class is called, whatever the class of that class makes of it."""
    name: str = _NAME_OF_CLASS(type(value))
    return name


def contents_of(value: Any) -> dict[str, Any]:
    """What `vars` gives, whatever its class makes of that."""
    contents: dict[str, Any] = object.__getattribute__(value, "__dict__")
    return contents


def named_modules(root: torch.nn.Module) -> Iterator[tuple[str, torch.nn.Module]]:
    """The module and all within it, each once, with the paths that torch's own `named_modules` gives them."""
    seen: set[int] = set()
    waiting = [("", root)]
    while waiting:
        path, module = waiting.pop()
        if id(module) in seen:
            continue
        seen.add(id(module))
        yield path, module
        children: Any = contents_of(module).get("_modules")
        named = list(dict.items(children)) if is_a(children, dict) else []
        waiting += [
            (f"{path}.{name}" if path else name, child)
            for name, child in reversed(named)
            if is_a(child, torch.nn.Module)
        ]


def is_a(value: Any, *kinds: type) -> bool:
    """Whether it is of one of these classes, or of one derived from them."""
    return issubclass(type(value), kinds)


def is_tensor(value: Any) -> bool:
    """Whether it is a tensor, of whatever class."""
    return issubclass(type(value), Tensor)


def is_plain_tensor(value: Any) -> bool:
    """Whether it is a tensor of torch's own class, or a parameter."""
    return type(value) in _PLAIN


def items_of(value: Any) -> Iterator[Any]:
    """The items of a list or a tuple, and the values of a dictionary; of anything else, none."""
    kind = type(value)
    if issubclass(kind, list):
        return list.__iter__(value)
    if issubclass(kind, tuple):
        return tuple.__iter__(value)
    return iter(dict.values(value)) if issubclass(kind, dict) else iter(())


def device_of(tensor: Tensor) -> torch.device:
    """Where torch has it."""
    device: torch.device = _GET_DEVICE(tensor)
    return device


def dtype_of(tensor: Tensor) -> torch.dtype:
    """The type of its elements."""
    dtype: torch.dtype = _GET_DTYPE(tensor)
    return dtype


def rank_of(tensor: Tensor) -> int:
    """The number of its dimensions."""
    return int(Tensor.dim(tensor))


def needs_gradient(tensor: Tensor) -> bool:
    """Whether torch differentiates it."""
    return bool(_GET_REQUIRES_GRAD(tensor))


def storage_of(tensor: Tensor) -> Any:
    """Its storage.

    Raises:
        NotImplementedError, RuntimeError: It has none of its own, being sparse or made of other tensors.
    """
    return Tensor.untyped_storage(tensor)
