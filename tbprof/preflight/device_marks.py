"""Where a tensor would be on a machine with a GPU: a mark on its storage.

All tensors stay ordinary tensors of the CPU with their real values. A device is a property of
a storage, and so is the mark: views, `param.data = x`, saved tensors and state dicts share it
without a line of code, and it goes when the storage goes. A storage without a mark is neutral:
made inside torch, or before preflight began; it takes no part in any judgment.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any
from weakref import WeakValueDictionary

import torch
from torch import Tensor


class Place:
    """Where a storage would be; one object each, compared by identity of what matters."""

    __slots__ = ("device", "is_device", "is_host", "is_pinned", "made_by", "made_in")

    def __init__(
        self, device: torch.device, *, is_pinned: bool = False, made_by: str | None = None, made_in: int = 0
    ) -> None:
        self.device = device
        self.is_device = device.type == "cuda"
        self.is_host = not self.is_device
        self.is_pinned = is_pinned
        self.made_by = made_by
        """The factory that filled it on the host."""
        self.made_in = made_in
        """The step in which it did."""


HOST = Place(torch.device("cpu"))
PINNED = Place(torch.device("cpu"), is_pinned=True)


@cache
def device_place(index: int) -> Place:
    return Place(torch.device("cuda", index))


@cache
def host_place(made_by: str, step: int) -> Place:
    """The host's memory, for what a factory of torch's made there in this step."""
    return Place(HOST.device, made_by=made_by, made_in=step)


def place_of(tensor: Tensor) -> Place | None:
    """Where the tensor is; None where it is neutral."""
    try:
        place: Place | None = getattr(tensor.untyped_storage(), "_tbprof_place", None)
    except (NotImplementedError, RuntimeError):
        return _place_of_parts(tensor)
    return place


def places_among(values: Iterable[Any]) -> tuple[Place | None, Place | None]:
    """A place on the device and one on the host among the tensors of a call, where there are any."""
    device = host = None
    for value in values:
        if isinstance(value, Tensor):
            # Not `place_of`: each op of the program comes through here.
            try:
                place = getattr(value.untyped_storage(), "_tbprof_place", None)
            except (NotImplementedError, RuntimeError):
                place = _place_of_parts(value)
            if place is not None:
                if place.is_device:
                    device = place
                else:
                    host = place
        elif type(value) in (list, tuple):
            inner_device, inner_host = places_among(value)
            device, host = device or inner_device, host or inner_host
    return device, host


FOLLOWERS: list[Callable[[Any, Place], None]] = []
"""Called with each storage that gets a mark, and the mark."""


def mark(tensor: Tensor, place: Place) -> None:
    """Say where the tensor's storage is."""
    try:
        storage = tensor.untyped_storage()
        storage._tbprof_place = place
    except (NotImplementedError, RuntimeError):
        for part in parts_of(tensor):
            mark(part, place)
        return
    for follow in FOLLOWERS:
        follow(storage, place)


def is_on_device(tensor: Tensor) -> bool:
    place = place_of(tensor)
    return place is not None and place.is_device


def _place_of_parts(tensor: Tensor) -> Place | None:
    places = (place_of(part) for part in parts_of(tensor))
    return next((place for place in places if place is not None), None)


def bytes_of(tensor: Tensor) -> int:
    """The bytes of a tensor's elements; of a sparse one those of its parts."""
    parts = parts_of(tensor)
    return sum(part.nbytes for part in parts) if parts else int(tensor.numel() * tensor.element_size())


def parts_of(tensor: Tensor) -> tuple[Tensor, ...]:
    """The strided tensors that a sparse or jagged one is made of; none of what has no memory at all."""
    if tensor.layout is torch.strided:
        return ()
    if tensor.layout is torch.sparse_coo:
        return tensor._indices(), tensor._values()
    if tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        return tensor.crow_indices(), tensor.col_indices(), tensor.values()
    if tensor.layout in (torch.sparse_csc, torch.sparse_bsc):
        return tensor.ccol_indices(), tensor.row_indices(), tensor.values()
    if tensor.layout is torch.jagged:
        return tensor._values, tensor._offsets
    return ()


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
"""The program's generators for the device, by torch's own objects: ops get those in other wraps."""


def made_for_device(generator: Any) -> None:
    """Remember that a generator, which is the CPU's here, would be the device's."""
    _FOR_DEVICE[generator._cdata] = generator


def is_of_device(generator: Any) -> bool:
    """Whether an op's generator would be the device's."""
    return generator._cdata in _FOR_DEVICE
