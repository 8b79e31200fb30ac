"""What small uploads hold, to see whether the same bytes are copied in each step."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Hashable
from typing import Any

import torch
from torch import Tensor

from tbprof.hook.safety.program_values import is_plain_tensor, is_tensor

MOST_BYTES = 4096
"""The most bytes of an upload that is looked at; a larger one is hardly a constant, and hashing it takes
time."""

_DIGEST_BYTES = 8
_MOST_NUMBERS = 512
_NUMBERS = (bool, int, float, complex)
"""Numbers of other classes have texts of their own."""


def content_of(source: Any) -> bytes | None:
    """A hash of what is uploaded; None where it is large, or can't be read without a copy."""
    if is_tensor(source):
        data = _bytes_of(source)
    elif _holds_numbers(source):
        data = repr(source).encode()
    else:
        return None
    return None if data is None else hashlib.blake2b(data, digest_size=_DIGEST_BYTES).digest()


def _bytes_of(tensor: Tensor) -> bytes | None:
    """None of a tensor that is no plain one: its memory is elsewhere, or there is none."""
    if not is_plain_tensor(tensor) or torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        return None
    if tensor.layout is not torch.strided or tensor.is_quantized:
        return None
    size = tensor.nbytes
    if tensor.device.type != "cpu" or size > MOST_BYTES or not tensor.is_contiguous():
        return None
    if size == 0:
        return b""
    # A tensor without memory of its own has the address 0, and what is read there is chance.
    address = tensor.data_ptr()
    return ctypes.string_at(address, size) if address else None


def _holds_numbers(source: Any) -> bool:
    """Whether its text is its content, and short."""
    if type(source) not in (list, tuple):
        return type(source) in _NUMBERS
    return len(source) <= _MOST_NUMBERS and all(_holds_numbers(item) for item in source)


class UploadContents:
    """The contents of two steps, by what calls agree in, each in the order of the calls."""

    def __init__(self) -> None:
        self._first: dict[Hashable, list[bytes]] = {}
        self._second: dict[Hashable, list[bytes]] | None = None

    @property
    def wants_second_step(self) -> bool:
        """Whether there is something to compare with."""
        return bool(self._first) and self._second is None

    @property
    def is_comparing(self) -> bool:
        """Whether the second step has begun."""
        return self._second is not None

    def begin_second_step(self) -> None:
        """What is noted from now on is compared."""
        self._second = {}

    def note(self, key: Hashable, content: bytes) -> None:
        """One more upload of these calls."""
        step = self._first if self._second is None else self._second
        step.setdefault(key, []).append(content)

    def are_same(self, key: Hashable) -> bool | None:
        """Whether both steps uploaded the same; None where one of them did not."""
        if self._second is None or key not in self._first or key not in self._second:
            return None
        return self._first[key] == self._second[key]
