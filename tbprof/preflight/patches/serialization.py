"""Patches of torch.save and torch.load: which storages they copy from the device and to it."""

from __future__ import annotations

import sys
from functools import wraps
from typing import Any

import torch
from torch import UntypedStorage

from tbprof.preflight.device_marks import HOST, Place, place_named
from tbprof.preflight.patch import Patch
from tbprof.preflight.watching import copies
from tbprof.preflight.watching.copies import MOVED_OPS
from tbprof.preflight.watching.recording import Event, note

_FIRST = -1
"""Torch asks in this order; its own begin at 10."""


def _device_place(storage: Any) -> Place | None:
    place: Place | None = getattr(storage, "_tbprof_place", None)
    return place if place is not None and place.is_device else None


def _location(storage: Any) -> str | None:
    """Where a storage that is saved is."""
    place = _device_place(storage)
    return None if place is None else str(place.device)


def _device_for_saving(original: Any) -> Any:
    """The device of a storage, as `torch.save` asks for it: elsewhere torch would take the memory for CUDA's
    own.
    """

    def device(self: UntypedStorage) -> torch.device:
        place = _device_place(self)
        is_saved = place is not None and sys._getframe(1).f_code is torch.serialization._save.__code__
        return place.device if place is not None and is_saved else original.__get__(self)

    return property(device)


def _to_host(original: Any) -> Any:
    """`storage.cpu()`, by which `torch.save` copies each storage once."""

    @wraps(original)
    def cpu(self: UntypedStorage) -> UntypedStorage:
        if _device_place(self) is None:
            return original(self)
        _note_read("cpu", self)
        copied: UntypedStorage = self.clone()
        copied._tbprof_place = HOST
        return copied

    return cpu


def _written(original: Any) -> Any:
    """The same in the former format of `torch.save`, which copies in C."""

    @wraps(original)
    def _write_file(self: UntypedStorage, *args: Any) -> Any:
        if _device_place(self) is not None:
            _note_read("_write_file", self)
        return original(self, *args)

    return _write_file


def _note_read(call: str, storage: UntypedStorage) -> None:
    copies.forget_all()
    event = Event("host_read", call, MOVED_OPS, direction="DtoH", memory="pageable", non_blocking=False)
    note(event, nbytes=storage.nbytes())


def _restored(storage: Any, location: str) -> Any:
    """A loaded storage at the place that it was saved from, or that was asked for."""
    if location.startswith("cuda"):
        note(
            Event("upload", "load", MOVED_OPS, direction="HtoD", memory="pageable", non_blocking=False),
            nbytes=storage.nbytes(),
        )
        storage._tbprof_place = place_named(torch.device(location))
        return storage
    if location == "cpu":
        storage._tbprof_place = HOST
        return storage
    return None


PATCHES = (
    Patch("torch:UntypedStorage", "device", _device_for_saving),
    Patch("torch:UntypedStorage", "cpu", _to_host),
    Patch("torch:UntypedStorage", "_write_file", _written),
    Patch(
        "torch.serialization",
        "_package_registry",
        lambda original: [(_FIRST, _location, _restored), *original],
    ),
)
