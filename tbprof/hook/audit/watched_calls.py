"""The functions of torch that can make the host wait or copy between host and device.

A row says where the tensors of a call are: on one device, or on the two that it copies
between. What a call moves is taken from its arguments and its result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import torch
from torch import Tensor

from tbprof.hook.audit.upload_contents import content_of
from tbprof.hook.safety.program_values import device_of, dtype_of, is_a, is_tensor, rank_of


class CallFacts(NamedTuple):
    """What is to be known of one call besides its line."""

    devices: tuple[str, ...]
    """The devices that it moves from and to; one where nothing moves."""
    pinned: bool | None = None
    non_blocking: bool | None = None
    content: bytes | None = None
    """A hash of what a small upload holds."""
    places: tuple[str, ...] = ()
    """Without a GPU, where they would be with one, in the same order."""
    call: str = ""
    """The function that torch calls for it, where that says more than the one that was called."""


class Call(NamedTuple):
    """A call of one of torch's functions that has returned."""

    arguments: Sequence[Any]
    options: Mapping[str, Any]
    result: Any

    @property
    def non_blocking(self) -> bool:
        """In every signature that has it, it is the first positional bool."""
        given = [value for value in self.arguments[1:] if is_a(value, bool)]
        return bool(self.options.get("non_blocking", given[0] if given else False))


Examine: TypeAlias = Callable[[Call], CallFacts | None]
"""The facts of a call; None where it can neither wait nor copy."""


def _read(call: Call) -> CallFacts | None:
    """A function that reads its first tensor back to the host, or the size of its result."""
    for value in (*call.arguments, *call.options.values()):
        if is_tensor(value):
            return CallFacts((str(device_of(value)),))
    return CallFacts(())


def _read_unless_told(name: str, position: int) -> Examine:
    """A function that reads how large its result gets, unless this argument says it."""

    def examine(call: Call) -> CallFacts | None:
        is_told = name in call.options or len(call.arguments) > position
        return None if is_told else _read(call)

    return examine


def _repeat(call: Call) -> CallFacts | None:
    """`repeat_interleave`: only repeats that are a tensor have to be read and added up."""
    repeats = call.arguments[1] if len(call.arguments) > 1 else call.options.get("repeats")
    is_told = "output_size" in call.options or is_a(repeats, int)
    return None if is_told else _read(call)


def _convert(call: Call) -> CallFacts | None:
    """`to`: without a place to go to, it converts and moves nothing."""
    is_place = (is_a(value, str, torch.device, Tensor) for value in call.arguments[1:])
    # A bare number is a device as well, and a bool is none.
    is_number = (type(value) is int for value in call.arguments[1:])
    if not any((*is_place, *is_number)) and not {"device", "other"} & call.options.keys():
        return None
    return _move(call)


def _move(call: Call) -> CallFacts | None:
    return _moved(call.arguments[0], str(device_of(call.result)), call.non_blocking)


def _copy_into(call: Call) -> CallFacts | None:
    source = call.arguments[1] if len(call.arguments) > 1 else call.options["src"]
    return _moved(source, str(device_of(call.arguments[0])), call.non_blocking)


def _read_whole(call: Call) -> CallFacts | None:
    """`tolist`, `numpy`: all of a tensor becomes the host's."""
    return _moved(call.arguments[0], "cpu", None)


def _pin(call: Call) -> CallFacts | None:
    return CallFacts((str(device_of(call.arguments[0])), "cpu"), pinned=True)


def _create(call: Call) -> CallFacts | None:
    """A tensor made of the host's values; on the host, and for the host, nothing moves."""
    if device_of(call.result).type == "cpu" and call.options.get("device") is None:
        return None
    data = call.arguments[0] if call.arguments else call.options.get("data")
    return _moved(data, str(device_of(call.result)), None)


def _where(call: Call) -> CallFacts | None:
    is_search = len(call.arguments) + len(call.options) == 1
    return _read(call) if is_search else None


def _index(call: Call) -> CallFacts | None:
    """`x[index]`: indexes of the host are uploaded, masks and single numbers of the device read back."""
    at, parts = device_of(call.arguments[0]), _parts(call.arguments[1])
    if any(_is_uploaded(part, at) for part in parts):
        return CallFacts(("cpu", str(at)))
    bounds = [bound for part in parts if is_a(part, slice) for bound in (part.start, part.stop)]
    read = [part for part in (*parts, *bounds) if _is_read(part, at)]
    is_number = not any(_is_mask(part) for part in read)
    return CallFacts((str(at),), call="__index__" if is_number else "") if read else None


def _index_and_write(call: Call) -> CallFacts | None:
    """`x[index] = value`: the value moves as well; one number goes to where a mask is, unread."""
    values, index, value = call.arguments[:3]
    if is_tensor(value):
        is_moved = device_of(value) != device_of(values)
        return _moved(value, str(device_of(values)), None) if is_moved else _index(call)
    if is_number_copied(values, index):
        return CallFacts(("cpu", str(device_of(values))))
    return None if is_tensor(index) and _is_mask(index) else _index(call)


def is_number_copied(values: Any, index: Any) -> bool:
    """Whether a number of Python's that is written there is copied from the host.

    Torch makes a tensor of it, which no kernel takes as an argument that writes where an index of whole
    numbers says, or one element alone.
    """
    parts = _parts(index)
    has_rows = any(is_tensor(part) and rank_of(part) > 0 and not _is_mask(part) for part in parts)
    return has_rows or (len(parts) == rank_of(values) and all(type(part) is int for part in parts))


def _parts(index: Any) -> tuple[Any, ...]:
    return index if is_a(index, tuple) else (index,)


def _is_uploaded(part: Any, to: torch.device) -> bool:
    """A list, a range or an array of NumPy becomes a tensor of the host first."""
    if is_tensor(part):
        return bool(device_of(part) != to and rank_of(part) > 0)
    return hasattr(type(part), "__len__")


def _is_read(part: Any, at: torch.device) -> bool:
    """Tensors of whole numbers, but for a single one, stay where they are."""
    if not is_tensor(part) or device_of(part) != at:
        return False
    return rank_of(part) == 0 or _is_mask(part)


def _is_mask(part: Tensor) -> bool:
    return dtype_of(part) in (torch.bool, torch.uint8)


def _moved(source: Any, to: str, non_blocking: bool | None) -> CallFacts:
    """A move between two places; what is no tensor is the host's, and pageable."""
    content = None if to == "cpu" else content_of(source)
    if not is_tensor(source):
        return CallFacts(("cpu", to), pinned=False, non_blocking=non_blocking, content=content)
    pinned = _is_pinned(source) if device_of(source).type == "cpu" else None
    return CallFacts((str(device_of(source)), to), pinned, non_blocking, content)


def _is_pinned(source: Tensor) -> bool:
    """Where no device is in use nothing is; torch would begin to use one to answer that."""
    in_use = torch.cuda.is_initialized() or torch.xpu.is_initialized()
    return in_use and bool(Tensor.is_pinned(source))


_READS = (
    *("item", "__bool__", "__int__", "__float__", "__index__", "__complex__", "is_nonzero"),
    *("__contains__", "__format__", "__repr__", "equal", "allclose"),
    *("nonzero", "argwhere", "masked_select", "unique", "unique_consecutive", "combinations"),
    *("bincount", "tensor_split"),
    *("inverse", "linalg_inv", "linalg_cholesky", "linalg_solve", "linalg_lu_factor", "linalg_ldl_factor"),
    *("cholesky", "svd", "linalg_svd", "linalg_svdvals", "linalg_eigh", "linalg_eigvalsh"),
    *("pinverse", "linalg_pinv", "cholesky_inverse", "linalg_matrix_exp", "linalg_eig", "linalg_eigvals"),
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
    "repeat_interleave": _repeat,
    "one_hot": _read_unless_told("num_classes", 1),
    "histc": _read_unless_told("min", 2),
    "__getitem__": _index,
    "__setitem__": _index_and_write,
}
"""Functions by their own name (`__name__`), each with how its calls are read."""
