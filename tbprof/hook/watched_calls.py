"""Which of torch's functions can make the host wait or copy between host and device.

A row says where the tensors of a call are: on one device, or on the two that it copies
between. What a call moves is taken from its arguments and its result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch import Tensor

__all__ = ["WATCHED", "Call", "CallFacts", "Examine"]


@dataclass(frozen=True, slots=True)
class CallFacts:
    """What is to be known of one call besides its line."""

    devices: tuple[str, ...]
    """From where to where; one where nothing moves."""
    pinned: bool | None = None
    non_blocking: bool | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A call of one of torch's functions that has returned."""

    arguments: Sequence[Any]
    options: Mapping[str, Any]
    result: Any

    @property
    def non_blocking(self) -> bool:
        """In every signature that has it, it is the first positional bool."""
        given = [value for value in self.arguments[1:] if isinstance(value, bool)]
        return bool(self.options.get("non_blocking", given[0] if given else False))


Examine: TypeAlias = Callable[[Call], CallFacts | None]
"""The facts of a call; None where it can neither wait nor copy."""


def _read(call: Call) -> CallFacts | None:
    """A function that reads its first tensor back to the host, or the size of its result."""
    given = (*call.arguments, *call.options.values())
    devices = [str(value.device) for value in given if isinstance(value, Tensor)]
    return CallFacts(tuple(devices[:1]))


def _convert(call: Call) -> CallFacts | None:
    """`to`: without a place to go to, it converts and moves nothing."""
    is_place = (isinstance(value, (str, torch.device, Tensor)) for value in call.arguments[1:])
    # A bare number is a device as well, and a bool is none.
    is_number = (type(value) is int for value in call.arguments[1:])
    if not any((*is_place, *is_number)) and not {"device", "other"} & call.options.keys():
        return None
    return _move(call)


def _move(call: Call) -> CallFacts | None:
    return _moved(call.arguments[0], str(call.result.device), call.non_blocking)


def _copy_into(call: Call) -> CallFacts | None:
    source = call.arguments[1] if len(call.arguments) > 1 else call.options["src"]
    return _moved(source, str(call.arguments[0].device), call.non_blocking)


def _read_whole(call: Call) -> CallFacts | None:
    """`tolist`, `numpy`: all of a tensor becomes the host's."""
    return _moved(call.arguments[0], "cpu", None)


def _pin(call: Call) -> CallFacts | None:
    return CallFacts((str(call.arguments[0].device), "cpu"), pinned=True)


def _create(call: Call) -> CallFacts | None:
    """A tensor made of the host's values; on the host, and for the host, nothing moves."""
    if call.result.device.type == "cpu" and call.options.get("device") is None:
        return None
    data = call.arguments[0] if call.arguments else call.options.get("data")
    return _moved(data, str(call.result.device), None)


def _where(call: Call) -> CallFacts | None:
    is_search = len(call.arguments) + len(call.options) == 1
    return _read(call) if is_search else None


def _index(call: Call) -> CallFacts | None:
    """`x[index]`: indexes of the host are uploaded, masks and bounds of the device read back."""
    at = str(call.arguments[0].device)
    places = _index_places(call.arguments[1])
    if not places:
        return None
    return CallFacts(("cpu", at) if "cpu" in places else (at,))


def _index_and_write(call: Call) -> CallFacts | None:
    """`x[index] = value`: the value moves as well."""
    value, at = call.arguments[2], str(call.arguments[0].device)
    if isinstance(value, Tensor) and str(value.device) != at:
        return _moved(value, at, None)
    return _index(call)


def _index_places(index: Any) -> list[str]:
    """Where the parts of an index are that are more than a number or a slice of numbers."""
    parts = index if isinstance(index, tuple) else (index,)
    bounds = [bound for part in parts if isinstance(part, slice) for bound in (part.start, part.stop)]
    tensors = [str(part.device) for part in (*parts, *bounds) if isinstance(part, Tensor)]
    # A list, a range or an array of NumPy becomes a tensor of the host first.
    listed = [part for part in parts if hasattr(part, "__len__") and not isinstance(part, Tensor)]
    return tensors + ["cpu"] * len(listed)


def _moved(source: Any, to: str, non_blocking: bool | None) -> CallFacts:
    """A move between two places; what is no tensor is the host's, and pageable."""
    if not isinstance(source, Tensor):
        return CallFacts(("cpu", to), pinned=False, non_blocking=non_blocking)
    at_host = source.device.type == "cpu"
    return CallFacts((str(source.device), to), source.is_pinned() if at_host else None, non_blocking)


_READS = (
    *("item", "__bool__", "__int__", "__float__", "__index__", "__complex__", "is_nonzero"),
    *("__contains__", "__format__", "__repr__", "equal", "allclose"),
    *("nonzero", "argwhere", "masked_select", "unique", "unique_consecutive", "combinations"),
    *("repeat_interleave", "bincount", "histc", "one_hot", "tensor_split"),
)

WATCHED: dict[str, Examine] = {
    **dict.fromkeys(_READS, _read),
    **dict.fromkeys(("tolist", "numpy", "__array__"), _read_whole),
    **dict.fromkeys(("cpu", "cuda", "xpu"), _move),
    **dict.fromkeys(("tensor", "as_tensor", "asarray"), _create),
    "to": _convert,
    "copy_": _copy_into,
    "pin_memory": _pin,
    "where": _where,
    "__getitem__": _index,
    "__setitem__": _index_and_write,
}
"""Functions by their own name (`__name__`), each with how its calls are read."""
