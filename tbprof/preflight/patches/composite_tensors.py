"""Patches of what makes tensors of several parts: sparse and nested ones."""

from __future__ import annotations

from functools import wraps
from typing import Any

import torch
from torch import Tensor

from tbprof.preflight.device_marks import device_named, is_on_device, place_named
from tbprof.preflight.patch import Patch
from tbprof.preflight.watching.recording import Event, note

_PARTS = {
    "sparse_coo_tensor": ("indices", "values"),
    "sparse_csr_tensor": ("crow_indices", "col_indices", "values"),
    "sparse_csc_tensor": ("ccol_indices", "row_indices", "values"),
    "sparse_bsr_tensor": ("crow_indices", "col_indices", "values"),
    "sparse_bsc_tensor": ("ccol_indices", "row_indices", "values"),
    "sparse_compressed_tensor": ("compressed_indices", "plain_indices", "values"),
}


def _sparse(original: Any) -> Any:
    """Its parts are moved to the device that is asked for, each on its own."""
    names = _PARTS[original.__name__]

    @wraps(original)
    def sparse(*args: Any, **kwargs: Any) -> Any:
        parts = {**dict(zip(names, args, strict=False)), **{n: kwargs[n] for n in names if n in kwargs}}
        device = device_named(kwargs.get("device"))
        place = None if device is None else place_named(device)
        if len(parts) < len(names) or (place is None and device is not None):
            return original(*args, **{**kwargs, "device": device})
        if place is not None:
            parts = {name: _at(part, device) for name, part in parts.items()}
        options = {name: value for name, value in kwargs.items() if name not in (*names, "device")}
        rest = args[len(names) :]
        if not rest and "size" not in options and names[0] == "indices":
            _note_size_of(parts["indices"])
        return original(*parts.values(), *rest, **options)

    return sparse


def _at(part: Any, device: Any) -> Tensor:
    return part.to(device) if isinstance(part, Tensor) else torch.tensor(part, device=device)


def _note_size_of(indices: Any) -> None:
    """Without a size torch reads the least and the largest index of each dimension."""
    if isinstance(indices, Tensor) and is_on_device(indices):
        note(Event("host_read", "sparse_coo_tensor", ("aten::copy_",), "read", "DtoH", "pageable"))


def _nested(original: Any) -> Any:
    """Joined on the host, then moved to the device that is asked for."""

    @wraps(original)
    def nested(tensor_list: Any, *, device: Any = None, requires_grad: bool = False, **options: Any) -> Any:
        place = None if device is None else place_named(device)
        is_jagged = options.get("layout") is torch.jagged
        if place is None or place.is_host or is_jagged:
            return original(tensor_list, device=device_named(device), requires_grad=requires_grad, **options)
        made = original(tensor_list, **options).to(device)
        return made.requires_grad_() if requires_grad else made

    return nested


PATCHES = (
    *(Patch("torch", name, _sparse) for name in _PARTS),
    Patch("torch.nested", "nested_tensor", _nested),
)
