"""Patches of what reads a tensor into Python: numbers, truth values, lists, text."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeAlias

from torch import Tensor

from tbprof.optable import OpKind
from tbprof.preflight.device_marks import is_on_device, place_of
from tbprof.preflight.patch import Patch
from tbprof.preflight.watching import copies
from tbprof.preflight.watching.copies import MOVED_OPS, note_read
from tbprof.preflight.watching.recording import Event, muted, note
from tbprof.program.caller_frame import TORCH

Make: TypeAlias = Callable[[Any], Any]

ITEM_OPS = ("aten::_local_scalar_dense", "aten::item")
TRUTH_OPS = (*ITEM_OPS, "aten::is_nonzero")


def _number(call: str, kind: OpKind = "scalar_read", ops: tuple[str, ...] = ITEM_OPS) -> Make:
    """One number or truth value, whatever torch does to find it."""
    event = Event(kind, call, ops, direction="DtoH")

    def make(original: Any) -> Any:
        @wraps(original)
        def read(self: Tensor, *args: Any, **kwargs: Any) -> Any:
            if not is_on_device(self):
                return original(self, *args, **kwargs)
            note(event, nbytes=self.element_size())
            copies.forget_all()
            with muted():
                return original(self, *args, **kwargs)

        return read

    return make


def _whole(call: str) -> Make:
    """All values of a tensor, as Python's or as text."""

    def make(original: Any) -> Any:
        @wraps(original)
        def read(self: Tensor, *args: Any, **kwargs: Any) -> Any:
            if not is_on_device(self):
                if copies.is_any:
                    copies.check_read(self, call)
                return original(self, *args, **kwargs)
            note_read(call, MOVED_OPS, self)
            with muted():
                return original(self, *args, **kwargs)

        return read

    return make


def _to_numpy(call: str) -> Make:
    """NumPy takes the host's memory alone: of the device's the real error is raised."""

    def make(original: Any) -> Any:
        @wraps(original)
        def numpy(self: Tensor, *args: Any, **kwargs: Any) -> Any:
            place = place_of(self)
            if place is not None and place.is_device and not kwargs.get("force"):
                raise TypeError(
                    f"can't convert {place.device} device type tensor to numpy. "
                    "Use Tensor.cpu() to copy the tensor to host memory first."
                )
            if place is not None and place.is_device:
                note_read(call, MOVED_OPS, self)
            elif copies.is_any:
                copies.check_read(self, call)
            return original(self, *args, **kwargs)

        return numpy

    return make


def _dlpack(original: Any) -> Any:
    """Libraries of the host refuse memory of the device, as NumPy does; torch takes it as it is."""

    @wraps(original)
    def capsule(self: Tensor, *args: Any, **options: Any) -> Any:
        is_torchs = sys._getframe(1).f_code.co_filename.startswith(TORCH)
        if is_on_device(self) and not is_torchs:
            raise RuntimeError("Unsupported device in DLTensor.")
        return original(self, *args, **options)

    return capsule


PATCHES = (
    Patch("torch:Tensor", "item", _number("item")),
    Patch("torch:Tensor", "__int__", _number("__int__")),
    Patch("torch:Tensor", "__float__", _number("__float__")),
    Patch("torch:Tensor", "__complex__", _number("__complex__")),
    Patch("torch:Tensor", "__index__", _number("__index__")),
    Patch("torch:Tensor", "__bool__", _number("__bool__", "control_flow", TRUTH_OPS)),
    Patch("torch:Tensor", "__contains__", _number("__contains__", "control_flow")),
    Patch("torch:Tensor", "is_nonzero", _number("is_nonzero", "control_flow", TRUTH_OPS)),
    Patch("torch", "is_nonzero", _number("is_nonzero", "control_flow", TRUTH_OPS)),
    Patch("torch:Tensor", "tolist", _whole("tolist")),
    Patch("torch._tensor_str", "_str", _whole("__repr__")),
    Patch("torch:Tensor", "numpy", _to_numpy("numpy")),
    Patch("torch:Tensor", "__array__", _to_numpy("__array__")),
    Patch("torch:Tensor", "__dlpack__", _dlpack),
)
