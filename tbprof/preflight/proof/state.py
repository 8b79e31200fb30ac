"""The digests and the values of tensors that last from one step to the next."""

from __future__ import annotations

import ctypes
import hashlib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import torch
from torch import Tensor
from torch.utils._python_dispatch import _disable_current_modes

from tbprof.preflight.device_marks import parts_of, place_of
from tbprof.preflight.proof.record import ZERO, Role, TensorState
from tbprof.preflight.watching.recording import muted

_MOST_VALUES_BYTES = 1 << 30
_SMALL = 1 << 14
"""Bytes up to which a digest is cryptographic: sums of a larger tensor are ten times as fast."""


def digest_of(value: Any) -> str:
    """The digest of a tensor, or of all that a container holds."""
    made = hashlib.blake2b(digest_size=8)
    _feed(made, value, set())
    return made.hexdigest()


def _feed(made: Any, value: Any, seen: set[int]) -> None:
    if isinstance(value, Tensor):
        _feed_tensor(made, value)
    elif isinstance(value, str | bytes | int | float | complex):
        made.update(repr(value).encode())
    elif hasattr(type(value), "tobytes"):
        made.update(value.tobytes())
    elif id(value) not in seen:
        is_container = isinstance(value, dict | list | tuple)
        held = value if is_container else getattr(value, "__dict__", None)
        if type(held) is dict or is_container:
            seen.add(id(value))
            made.update(b"[")
            for each in held.items() if isinstance(held, dict) else held or ():
                _feed(made, each, seen)


def _feed_tensor(made: Any, tensor: Tensor) -> None:
    for part in parts_of(tensor):
        _feed_tensor(made, part)
    if tensor.layout is torch.strided and not tensor.is_meta and not tensor.is_nested:
        plain = plain_of(tensor)
        made.update(f"{plain.dtype}{tuple(plain.shape)}".encode())
        if plain.numel():
            memory = memory_of(plain)
            made.update(memory if len(memory) <= _SMALL else zlib.crc32(memory).to_bytes(4, "little"))


def plain_of(tensor: Tensor) -> Tensor:
    return tensor.detach().resolve_conj().resolve_neg().contiguous()


def memory_of(plain: Tensor) -> ctypes.Array[ctypes.c_char]:
    size = plain.numel() * plain.element_size()
    memory: ctypes.Array[ctypes.c_char] = (ctypes.c_char * size).from_address(plain.data_ptr())
    return memory


@contextmanager
def unseen() -> Iterator[None]:
    """Look at tensors: nothing of it is an operator of the program's, nor a read."""
    with muted(), _disable_current_modes(), torch.no_grad():
        yield


def number_of(tensor: Tensor) -> float:
    """The only element of a tensor, read from its memory."""
    with unseen():
        plain = plain_of(tensor).double()
        return ctypes.c_double.from_address(plain.data_ptr()).value


class Values:
    """The file of values; it takes no more than a bound."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._size = 0

    def write(self, tensor: Tensor) -> int | None:
        plain = plain_of(tensor)
        size = plain.numel() * plain.element_size()
        if not size or self._size + size > _MOST_VALUES_BYTES:
            return None
        if self._file is None:
            self._file = self._path.open("wb")
        at, self._size = self._size, self._size + size
        self._file.write(memory_of(plain))
        return at

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def _is_zero(tensor: Tensor) -> bool:
    if tensor.layout is not torch.strided:
        return False
    flat = plain_of(tensor).flatten()
    # Nearly always a few values say that it is not.
    some = flat[:: max(1, flat.numel() >> 8)]
    return not torch.count_nonzero(some) and not torch.count_nonzero(flat)


def state_of(tensor: Tensor, role: Role, name: str, values: Values | None) -> TensorState:
    place = place_of(tensor)
    is_zero = role in ("gradient", "optimizer state") and _is_zero(tensor)
    return TensorState(
        role=role,
        name=name,
        shape=tuple(tensor.shape),
        dtype=str(tensor.dtype).removeprefix("torch."),
        digest=ZERO if is_zero else digest_of(tensor),
        place="" if place is None else str(place.device),
        at=values.write(tensor) if values and tensor.layout is torch.strided else None,
    )
