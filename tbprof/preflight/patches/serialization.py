"""Patches of torch.save and torch.load: which storages they copy from the device and to it."""

from __future__ import annotations

from typing import Any

import torch

from tbprof.preflight.base.device_marks import HOST
from tbprof.preflight.base.devices import place_named
from tbprof.preflight.base.patch import Patch
from tbprof.preflight.patches.python_reads import MOVED_OPS
from tbprof.preflight.watching.recording import Event, note

__all__ = ["PATCHES"]

_FIRST = -1
"""Torch asks in this order; its own begin at 10."""


def _location(storage: Any) -> str | None:
    """Where a storage that is saved is; saving copies it to the host first."""
    place = getattr(storage, "_tbprof_place", None)
    if place is None or not place.is_device:
        return None
    note(Event("host_read", "save", MOVED_OPS, direction="DtoH", memory="pageable"), nbytes=storage.nbytes())
    return str(place.device)


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
    Patch(
        "torch.serialization",
        "_package_registry",
        lambda original: [(_FIRST, _location, _restored), *original],
    ),
)
