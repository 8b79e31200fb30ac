"""Patches of what makes tensors: those of the host get its mark, and their maker's name."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from typing import Any

import torch
from torch import Tensor
from torch.overrides import _get_current_function_mode_stack
from torch.utils._device import DeviceContext, _device_constructors
from torch.utils._python_dispatch import _len_torch_dispatch_stack

from tbprof.preflight.device_marks import (
    HOST,
    device_named,
    host_place,
    mark,
    place_named,
    place_of,
)
from tbprof.preflight.patch import Patch
from tbprof.preflight.patches.device_moves import moved
from tbprof.preflight.watching.mode import Watch
from tbprof.preflight.watching.recording import current_step

_CPU = torch.device("cpu")
_NOTHING = nullcontext()

# Torch looks the functions up once that `with torch.device(...)` is for: it must find its own.
_device_constructors()


def _factory(original: Any) -> Any:
    """Fills a tensor where its `device` says; a kernel does that on the device."""
    name = f"torch.{original.__name__}"

    @wraps(original)
    def factory(*args: Any, **kwargs: Any) -> Any:
        _name_device(kwargs)
        with _watched(kwargs):
            made = original(*args, **kwargs)
        for tensor in made if isinstance(made, tuple) else (made,):
            _place(tensor, kwargs.get("device"), name)
        return made

    return factory


def _name_device(kwargs: dict[str, Any]) -> None:
    if kwargs.get("device") is not None:
        kwargs["device"] = device_named(kwargs["device"])


def _watched(kwargs: dict[str, Any]) -> AbstractContextManager[Any]:
    """Inside an op that is written in Python torch has put the mode aside, which the device needs."""
    is_aside = kwargs.get("device") is not None and _len_torch_dispatch_stack() == 0
    return Watch() if is_aside else _NOTHING


def _place(tensor: Any, device: Any, made_by: str) -> None:
    if isinstance(tensor, Tensor) and tensor.layout is torch.strided and not tensor.is_meta:
        place = place_of(tensor)
        if place is None or (place.is_host and not place.is_pinned) or _is_host(device):
            mark(tensor, host_place(made_by, current_step()))


def _is_host(device: Any) -> bool:
    """Whether the host was asked for in so many words."""
    place = None if device is None else place_named(device)
    return place is not None and place.is_host


def _like(original: Any) -> Any:
    """Fills a tensor beside another one, unless the host was asked for."""
    name = f"torch.{original.__name__}"

    @wraps(original)
    def like(*args: Any, **kwargs: Any) -> Any:
        _name_device(kwargs)
        with _watched(kwargs):
            made = original(*args, **kwargs)
        if _is_host(kwargs.get("device")):
            mark(made, host_place(name, current_step()))
        return made

    return like


def _from_values(original: Any) -> Any:
    """Made of Python's values on the host, then uploaded where a device was asked for."""
    name = f"torch.{original.__name__}"

    @wraps(original)
    def from_values(data: Any, *args: Any, device: Any = None, **kwargs: Any) -> Any:
        asked_for = _default_device() if device is None else device
        place = None if _has_own_place(data, device) else place_named(asked_for)
        if isinstance(data, Tensor):
            return _of_tensor(data, *args, device=device, **kwargs)
        made = original(data, *args, device=_CPU if place is not None else device, **kwargs)
        if place is None or not isinstance(made, Tensor):
            return made
        mark(made, host_place(name, current_step()))
        if place.is_host:
            return made
        requires_grad = made.requires_grad
        uploaded = moved(
            made.detach(), place, call=original.__name__, non_blocking=False, copied=made.detach().clone
        )
        return uploaded.requires_grad_() if requires_grad else uploaded

    def _of_tensor(data: Tensor, *args: Any, device: Any, **kwargs: Any) -> Tensor:
        """A tensor given as data: stays where it is, or is copied to the device asked for."""
        if original.__name__ == "tensor":
            made: Tensor = original(data, *args, **kwargs)
            mark(made, place_of(data) or HOST)
        else:
            made = original(data, *args, **kwargs)
        return made if device is None else made.to(device)

    return from_values


def _default_device() -> Any:
    """The device of `with torch.device(...)` and of `torch.set_default_device`; the host without them."""
    contexts = (mode for mode in _get_current_function_mode_stack() if isinstance(mode, DeviceContext))
    innermost = next(reversed(list(contexts)), None)
    return _CPU if innermost is None else innermost.device


def _has_own_place(data: Any, device: Any) -> bool:
    return isinstance(data, Tensor) and device is None


_FILLED = (
    *("zeros", "ones", "empty", "full", "rand", "randn", "randint", "randperm", "arange", "range"),
    *("linspace", "logspace", "eye", "tril_indices", "triu_indices", "empty_strided", "empty_permuted"),
    *("from_numpy", "frombuffer", "from_file", "hann_window", "hamming_window", "blackman_window"),
    *("bartlett_window", "kaiser_window", "normal", "scalar_tensor"),
)
_LIKE = ("zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like", "randint_like")
_NEW = ("new_zeros", "new_ones", "new_empty", "new_full", "new_empty_strided")

PATCHES = (
    *(Patch("torch", name, _factory) for name in _FILLED),
    *(Patch("torch", name, _like) for name in _LIKE),
    *(Patch("torch:Tensor", name, _like) for name in _NEW),
    *(Patch("torch", name, _from_values) for name in ("tensor", "as_tensor", "asarray")),
)
