"""`torch.device` as a machine with a GPU has it: a number alone is one of its GPUs."""

from __future__ import annotations

from functools import wraps
from typing import Any

import torch

from tbprof.preflight.device_marks import device_named
from tbprof.preflight.patch import Patch, applied, instead, suspended

_REAL = torch.device


class _DeviceType(type):
    """Makes and knows torch's own devices; equal to their class, which can't be derived from."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        given = (*args, *kwargs.values())
        if len(given) == 1 and isinstance(given[0], int):
            return device_named(given[0])
        return _REAL(*args, **kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, _REAL)

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is _REAL

    def __hash__(cls) -> int:
        return hash(_REAL)


class _Device(metaclass=_DeviceType):
    """Stands for `torch.device`, by whose name its devices are pickled."""


_Device.__module__, _Device.__name__, _Device.__qualname__ = "torch", "device", "device"


def _pickled(device: Any) -> tuple[Any, tuple[Any, ...]]:
    """The class as torch pickles it: pickle looks whether the class is what its name leads to."""
    _, arguments = device.__reduce__()
    return torch.device, arguments


def _annotated(original: Any) -> Any:
    @wraps(original)
    def try_ann_to_type(annotation: Any, *args: Any, **kwargs: Any) -> Any:
        return original(_REAL if annotation is _Device else annotation, *args, **kwargs)

    return try_ann_to_type


_ANNOTATIONS = Patch("torch.jit.annotations", "try_ann_to_type", _annotated)
"""The program's annotations hold the class that stands for the real one."""


def _compiled(original: Any) -> Any:
    """TorchScript's compiler knows torch's functions and classes by their identity."""

    @wraps(original)
    def script(*args: Any, _frames_up: int = 0, **kwargs: Any) -> Any:
        with suspended(), applied(_ANNOTATIONS):
            # Names are looked up in the frame of who calls, which is one further up from there.
            return original(*args, _frames_up=_frames_up + 1, **kwargs)

    return script


def _parsed(original: Any) -> Any:
    """What `Module.to` was given."""

    @wraps(original)
    def parse_to(*args: Any, **kwargs: Any) -> Any:
        if args:
            args = (device_named(args[0]), *args[1:])
        if "device" in kwargs:
            kwargs["device"] = device_named(kwargs["device"])
        return original(*args, **kwargs)

    return parse_to


PATCHES = (
    Patch("torch", "device", instead(_Device)),
    Patch("copyreg:dispatch_table", _REAL, instead(_pickled), is_new=True, is_item=True),
    Patch("torch.jit", "script", _compiled),
    Patch("torch._C._nn", "_parse_to", _parsed),
)
