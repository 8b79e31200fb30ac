"""Which ops a function of torch's Python side becomes in a trace (data).

A function that is not here becomes the op of its name: `torch.nonzero` is `aten::nonzero`.
"""

from __future__ import annotations

from tbprof.model import RecordedCall

UNNAMED = "synchronize"
"""A wait that CUDA itself reported, in no function of torch's."""

BY_NAME = {
    "cuda.synchronize": ("cudaDeviceSynchronize", "hipDeviceSynchronize"),
    "Stream.synchronize": ("cudaStreamSynchronize", "hipStreamSynchronize"),
    "Event.synchronize": ("cudaEventSynchronize", "hipEventSynchronize"),
}
"""Waits that a program asks for by name, and the calls that they become, outside every op."""

_SCALAR = ("aten::item",)
_TRUTH = ("aten::is_nonzero",)
_MOVE = ("aten::to",)
_INDEX = ("aten::to", "aten::item", "aten::nonzero")

_OPS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("item", "__int__", "__float__", "__complex__", "__index__", "__format__", "__contains__"), _SCALAR
    ),
    **dict.fromkeys(("__bool__", "is_nonzero"), _TRUTH),
    **dict.fromkeys(("to", "cpu", "cuda", "xpu", "tolist", "numpy", "__array__", "tensor"), _MOVE),
    **dict.fromkeys(("as_tensor", "asarray"), (*_MOVE, "aten::copy_")),
    "pin_memory": ("aten::pin_memory", "aten::_pin_memory"),
    "nonzero": ("aten::nonzero", "aten::nonzero_numpy"),
    "where": ("aten::where", "aten::nonzero_numpy"),
    "unique": ("aten::_unique", "aten::_unique2", "aten::unique_dim"),
    "unique_consecutive": ("aten::unique_consecutive", "aten::unique_dim_consecutive"),
    "__getitem__": (*_INDEX, "aten::index"),
    "__setitem__": (*_INDEX, "aten::index_put_", "aten::copy_", "aten::masked_fill_"),
    "__repr__": (*_SCALAR, *_TRUTH, *_MOVE, "aten::masked_select", "aten::nonzero"),
}

_MOVING = frozenset(
    ("to", "cpu", "cuda", "xpu", "copy_", "tolist", "numpy", "tensor", "as_tensor", "asarray")
)
"""Functions that move in the direction of their devices, and wait for nothing else."""


def calls_fit(call: RecordedCall, op: str, direction: str, memory: str, runtime_call: str) -> bool:
    """Whether a recorded call can be what a copy or synchronize within `op` came from.

    Args:
        call: The recorded call.
        op: The outermost op of torch's around the episode, "" where there is none.
        direction: The episode's, as in `copy_kinds.DIRECTIONS`.
        memory: The episode's, as in `copy_kinds.MEMORIES`.
        runtime_call: The episode's first call of the device's runtime.
    """
    if all(device == "cpu" for device in call.devices):
        return False
    if call.call in BY_NAME:
        return not op and runtime_call in BY_NAME[call.call]
    if call.call == UNNAMED:
        return bool(op) and not op.startswith("aten::")
    return op in _OPS.get(call.call, (f"aten::{call.call}",)) and _moves(call, direction, memory)


def _moves(call: RecordedCall, direction: str, memory: str) -> bool:
    uploads = len(call.devices) > 1 and call.devices[0] == "cpu"
    if direction == "HtoD":
        # An upload from pinned memory is not one from pageable memory.
        known = call.pinned is not None and bool(memory)
        return uploads and (not known or call.pinned == (memory == "pinned"))
    return not (uploads and call.call in _MOVING)
