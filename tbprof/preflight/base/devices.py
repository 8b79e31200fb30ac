"""The devices that the program believes to have."""

from __future__ import annotations

import os
from typing import Any
from weakref import WeakValueDictionary

import torch
from torch import Tensor

from tbprof.preflight.base.device_marks import HOST, Place, device_place, place_of


class _Current:
    """What `torch.cuda.set_device` set; one for all threads, which no program tells apart."""

    index = 0


current = _Current()


def device_count() -> int:
    """One GPU for each process that a launcher started on this machine."""
    return max(1, int(os.environ.get("LOCAL_WORLD_SIZE", "1")))


def device_named(device: Any) -> Any:
    """A number as the GPU that it stands for, which torch would ask for in vain; all else as it is."""
    if isinstance(device, int) and not isinstance(device, bool):
        return torch.device("cuda", device)
    return device


def place_named(device: Any) -> Place | None:
    """The place that a device, its name, a number or another tensor stands for.

    None for devices that are neither the host nor CUDA's, such as `meta`.
    """
    if isinstance(device, Tensor):
        return place_of(device) or HOST
    if isinstance(device, int):
        return device_place(device)
    named = torch.device(device) if isinstance(device, str) else device
    if named.type == "cuda":
        return device_place(current.index if named.index is None else named.index)
    return HOST if named.type == "cpu" else None


_FOR_DEVICE: WeakValueDictionary[int, Any] = WeakValueDictionary()
"""The program's generators for the device, by torch's objects behind them: ops get those in other wraps."""


def made_for_device(generator: Any) -> None:
    """Remember that a generator, which is the CPU's here, would be the device's."""
    _FOR_DEVICE[generator._cdata] = generator


def is_of_device(generator: Any) -> bool:
    """Whether an op's generator would be the device's."""
    return generator._cdata in _FOR_DEVICE
