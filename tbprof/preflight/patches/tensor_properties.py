"""Patches of what a tensor says of itself: its device, and what follows from it."""

from __future__ import annotations

from functools import wraps
from typing import Any

import torch
from torch import Tensor

from tbprof.preflight.device_marks import HOST, host_place, is_on_device, mark, place_of
from tbprof.preflight.patch import Patch
from tbprof.preflight.watching.recording import current_step

_CPU = torch.device("cpu")


def _device(original: Any) -> Any:
    def device(self: Tensor) -> torch.device:
        real: torch.device = original.__get__(self)
        if real.type != "cpu":
            return real
        place = place_of(self)
        return real if place is None else place.device

    return property(device)


def _is_cuda(original: Any) -> Any:
    return property(lambda self: is_on_device(self) or original.__get__(self))


def _is_cpu(original: Any) -> Any:
    return property(lambda self: original.__get__(self) and not is_on_device(self))


def _get_device(original: Any) -> Any:
    @wraps(original)
    def get_device(self: Tensor) -> int:
        place = place_of(self)
        if place is None or not place.is_device:
            return int(original(self))
        return int(place.device.index)

    return get_device


def _new_tensor(original: Any) -> Any:
    """Made of Python's values, and so uploaded where the tensor is on the device."""

    @wraps(original)
    def new_tensor(self: Tensor, data: Any, *, device: Any = None, **options: Any) -> Tensor:
        made: Tensor = original(self, data, device=_CPU, **options)
        if device is _CPU:
            # Torch came back here by the function's name, as `tbprof.preflight.patches.device_moves` tells.
            return made
        mark(made, HOST if isinstance(data, Tensor) else host_place("new_tensor", current_step()))
        return made.to(self.device if device is None else device)

    return new_tensor


def _copied_with_its_place(original: Any) -> Any:
    @wraps(original)
    def deepcopy(self: Tensor, memo: Any) -> Tensor:
        copied: Tensor = original(self, memo)
        place = place_of(self)
        if place is not None and place_of(copied) is None:
            mark(copied, place)
        return copied

    return deepcopy


def _nothing(original: Any) -> Any:
    return wraps(original)(lambda _self, *_args, **_kwargs: None)


PATCHES = (
    Patch("torch:Tensor", "device", _device),
    Patch("torch:Tensor", "is_cuda", _is_cuda),
    Patch("torch:Tensor", "is_cpu", _is_cpu),
    Patch("torch:Tensor", "get_device", _get_device),
    Patch("torch:Tensor", "new_tensor", _new_tensor),
    Patch("torch:Tensor", "__deepcopy__", _copied_with_its_place),
    Patch("torch:Tensor", "record_stream", _nothing),
)
