"""Patches of functions that do other work on the CPU than on a GPU, or make tensors of several parts."""

from __future__ import annotations

from functools import wraps
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from tbprof.preflight.device_marks import device_named, is_on_device, place_named, place_of
from tbprof.preflight.patch import Patch
from tbprof.preflight.watching.copies import MOVED_OPS, note_read, note_upload
from tbprof.preflight.watching.recording import Event, muted, note, remark


def _one_hot(original: Any) -> Any:
    """On the CPU its classes are checked by reading them, which a GPU does not do."""
    event = Event("dynamic_shape", "one_hot", ("aten::one_hot",), "read", direction="DtoH")

    @wraps(original)
    def one_hot(tensor: Tensor, num_classes: int = -1) -> Any:
        if num_classes == -1 and is_on_device(tensor):
            note(event, nbytes=tensor.element_size())
        with muted():
            return original(tensor, num_classes)

    return one_hot


def _checked_on_the_cpu_alone(original: Any) -> Any:
    """A composite op whose checks read its arguments where torch believes them on the CPU."""

    @wraps(original)
    def unchecked(*args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], Tensor) and is_on_device(args[0]):
            with muted():
                return original(*args, **kwargs)
        return original(*args, **kwargs)

    return unchecked


def _ctc_loss(original: Any) -> Any:
    """Wants its lengths on the host to plan its kernels, and on the device to divide by them."""

    @wraps(original)
    def ctc_loss(
        log_probs: Tensor,
        targets: Tensor,
        input_lengths: Any,
        target_lengths: Any,
        blank: int = 0,
        reduction: str = "mean",
        zero_infinity: bool = False,
    ) -> Any:
        rest = (blank, reduction, zero_infinity)
        if not is_on_device(log_probs):
            return original(log_probs, targets, input_lengths, target_lengths, *rest)
        for lengths in (input_lengths, target_lengths):
            if isinstance(lengths, Tensor) and is_on_device(lengths):
                note_read("ctc_loss", MOVED_OPS, lengths)
            elif isinstance(lengths, Tensor) and lengths is target_lengths and reduction == "mean":
                note_upload("ctc_loss", MOVED_OPS, lengths, place_of(lengths), non_blocking=False)
        with muted():
            return original(log_probs, targets, input_lengths, target_lengths, *rest)

    return ctc_loss


def _on_one_device(original: Any) -> Any:
    """`DataParallel` with the one device that there seems to be: its inputs are moved there."""

    @wraps(original)
    def forward(self: Any, *inputs: Any, **kwargs: Any) -> Any:
        remark("DataParallel was run on one device")

        def move(value: Any) -> Any:
            return value.to(self.src_device_obj) if isinstance(value, Tensor) else value

        return self.module(*tree_map(move, inputs), **tree_map(move, kwargs))

    return forward


_CHECKED: tuple[tuple[str, str], ...] = (
    *(("torch", name) for name in ("quantile", "nanquantile")),
    *(("torch:Tensor", name) for name in ("quantile", "nanquantile")),
)

PATCHES = (
    Patch("torch.nn.functional", "one_hot", _one_hot),
    Patch("torch.nn.functional", "ctc_loss", _ctc_loss),
    Patch("torch.nn.parallel.data_parallel:DataParallel", "forward", _on_one_device),
    *(Patch(owner, name, _checked_on_the_cpu_alone) for owner, name in _CHECKED),
)


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


TENSOR_PATCHES = (
    *(Patch("torch", name, _sparse) for name in _PARTS),
    Patch("torch.nested", "nested_tensor", _nested),
)
