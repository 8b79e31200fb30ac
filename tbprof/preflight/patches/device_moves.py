"""Patches of what moves a tensor between host and device, or says where it is.

To torch all tensors are the CPU's, so that a move to the device is a copy with another mark.
"""

from __future__ import annotations

from functools import wraps
from typing import Any

import torch
from torch import Tensor

from tbprof.model import Source
from tbprof.preflight.device_marks import (
    HOST,
    PINNED,
    Place,
    current,
    is_on_device,
    mark,
    place_named,
    place_of,
)
from tbprof.preflight.patch import Patch
from tbprof.preflight.watching import copies
from tbprof.preflight.watching.copies import MOVED_OPS, note_read, note_upload
from tbprof.preflight.watching.recording import muted

_CPU = torch.device("cpu")
"""The one that is given to torch's own functions, known by identity: under a function mode, such as
that of `with torch.device(...)`, torch looks them up by name and comes back here."""


def moved(
    tensor: Tensor, to: Place, *, call: str, non_blocking: bool, copied: Any, forward: Source | None = None
) -> Tensor:
    """A tensor at another place than `tensor`, noted as the copy that it is.

    Args:
        tensor: What is copied.
        to: Where to.
        call: What the program called.
        non_blocking: Whether the host was asked not to wait.
        copied: Makes the copy, with its options, where torch believes all to be.
        forward: The line that moved what `tensor` is the gradient of.
    """
    of = place_of(tensor)
    awaits, where = False, None
    if to.is_device and (of is None or of.is_host):
        where = note_upload(call, MOVED_OPS, tensor, of, non_blocking=non_blocking, forward=forward)
    elif of is not None and of.is_device and to.is_host:
        # Torch takes pinned memory for a copy that must not block.
        awaits = non_blocking
        to = PINNED if non_blocking else HOST
        where = note_read(
            call,
            MOVED_OPS,
            tensor,
            memory="pinned" if non_blocking else "pageable",
            non_blocking=non_blocking,
            forward=forward,
        )
    with muted():
        result: Tensor = copied()
    mark(result, to)
    if awaits:
        copies.expect(result)
    if result.grad_fn is not None and of is not None:
        _move_gradient_back(result, of, None if where is None else where.source)
    return result


def _move_gradient_back(result: Tensor, to: Place, forward: Source | None) -> None:
    """Torch would copy the gradient back to where the tensor came from, too."""

    def post_hook(gradients: tuple[Tensor | None, ...], _outer: Any) -> tuple[Tensor | None, ...]:
        return tuple(
            gradient
            if gradient is None or place_of(gradient) is to
            else moved(
                gradient,
                to,
                call="backward",
                non_blocking=False,
                copied=gradient.clone,
                forward=forward,
            )
            for gradient in gradients
        )

    result.grad_fn.register_hook(post_hook)


def _to(original: Any) -> Any:
    @wraps(original)
    def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        target = args[0] if args and not isinstance(args[0], torch.dtype) else None
        if target is None:
            target = kwargs.get("device", kwargs.get("other"))
        place = None if target is None or target is _CPU else place_named(target)
        if place is None:
            unchanged: Tensor = original(self, *args, **kwargs)
            return unchanged
        plain_args, plain_kwargs = _without_device(args, kwargs)
        if _is_there(self, place):
            same: Tensor = original(self, *plain_args, **plain_kwargs)
            return same
        _, dtype, non_blocking, memory_format = torch._C._nn._parse_to(
            *plain_args, **{name: value for name, value in plain_kwargs.items() if name != "copy"}
        )
        options = {} if memory_format is None else {"memory_format": memory_format}
        return moved(
            self,
            place,
            call="to",
            non_blocking=bool(non_blocking),
            copied=lambda: original(self, _CPU, dtype or self.dtype, copy=True, **options),
        )

    return to


def _without_device(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The same arguments with the CPU for every device."""
    if args and not isinstance(args[0], (torch.dtype, Tensor)):
        args = (_CPU, *args[1:])
    if kwargs.get("device") is not None:
        kwargs = {**kwargs, "device": _CPU}
    return args, kwargs


def _is_there(tensor: Tensor, place: Place) -> bool:
    """Whether a tensor is at a place already; a neutral one counts as the host's."""
    of = place_of(tensor)
    if of is None or of.is_host:
        return place.is_host
    return bool(place.is_device and of.device == place.device)


def _cuda(original: Any) -> Any:
    @wraps(original)
    def cuda(
        self: Tensor,
        device: Any = None,
        non_blocking: bool = False,
        memory_format: Any = torch.preserve_format,
    ) -> Tensor:
        place = place_named(current.index if device is None else device)
        if place is None or _is_there(self, place):
            return self
        return moved(
            self,
            place,
            call="cuda",
            non_blocking=non_blocking,
            copied=lambda: self.to(_CPU, copy=True, memory_format=memory_format),
        )

    return cuda


def _cpu(original: Any) -> Any:
    @wraps(original)
    def cpu(self: Tensor, memory_format: Any = torch.preserve_format) -> Tensor:
        if not is_on_device(self):
            return self
        options = {"memory_format": memory_format} if self.layout is torch.strided else {}
        return moved(
            self,
            HOST,
            call="cpu",
            non_blocking=False,
            copied=lambda: self.clone(**options),
        )

    return cpu


def _pin_memory(original: Any) -> Any:
    @wraps(original)
    def pin_memory(self: Tensor, *_device: Any, **_options: Any) -> Tensor:
        place = place_of(self)
        if place is not None and place.is_device:
            raise RuntimeError(f"cannot pin '{self.type()}' only dense CPU tensors can be pinned")
        if place is not None and place.is_pinned:
            return self
        with muted():
            result = self.clone()
        mark(result, PINNED)
        return result

    return pin_memory


def _is_pinned(original: Any) -> Any:
    @wraps(original)
    def is_pinned(self: Tensor, *_device: Any, **_options: Any) -> bool:
        place = place_of(self)
        return place is not None and place.is_pinned

    return is_pinned


PATCHES = (
    Patch("torch:Tensor", "to", _to),
    Patch("torch:Tensor", "cuda", _cuda),
    Patch("torch:Tensor", "cpu", _cpu),
    Patch("torch:Tensor", "pin_memory", _pin_memory),
    Patch("torch:Tensor", "is_pinned", _is_pinned),
)
