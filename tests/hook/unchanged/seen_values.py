"""What a program can see of values, as bytes that two steps can be compared by."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor


def seed() -> None:
    """Let all random numbers be those of the first step."""
    # torch.manual_seed() also formats a stack for each kind of device that is not there.
    torch.default_generator.manual_seed(0)
    np.random.seed(0)
    random.seed(0)


def random_states() -> str:
    """What the next random numbers will be."""
    return digest([torch.get_rng_state(), np.random.get_state(), hash(random.getstate())])


def result_of(work: Callable[[], Any]) -> str:
    """A digest of what it returns; where it raises, what."""
    try:
        return digest(work())
    except Exception as error:  # noqa: BLE001 - whatever a module raises, it raises in each step
        return f"{type(error).__name__}: {error}"


def digest(value: Any) -> str:
    """The same text for the same bytes, whatever else is known of them."""
    hashed = hashlib.blake2b(digest_size=12)
    for part in _parts(value):
        hashed.update(part)
    return hashed.hexdigest()


def _parts(value: Any) -> Iterator[bytes]:
    if isinstance(value, Tensor):
        yield from _parts_of_tensor(value)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype}{value.shape}".encode() + value.tobytes()
    elif isinstance(value, Mapping):
        yield f"{type(value).__name__} of {len(value)}".encode()
        for key, inner in value.items():
            yield repr(key).encode()
            yield from _parts(inner)
    elif isinstance(value, list | tuple | set):
        yield f"{type(value).__name__} of {len(value)}".encode()
        for inner in value:
            yield from _parts(inner)
    else:
        yield repr(value).encode()


def _parts_of_tensor(tensor: Tensor) -> Iterator[bytes]:
    plain = tensor.detach()
    yield f"{type(tensor).__name__}{tensor.dtype}{tensor.layout}".encode()
    yield f"{tensor.requires_grad}{tensor.is_leaf}".encode()
    yield (type(tensor.grad_fn).__name__ if tensor.grad_fn is not None else "leaf").encode()
    if plain.is_nested:
        yield from _parts([part.contiguous() for part in plain.unbind()])
        return
    yield f"{tuple(plain.shape)}".encode()
    if plain.layout is not torch.strided:
        plain = plain.to_dense()
    if plain.device.type == "meta":
        return
    if plain.is_quantized:
        yield f"{plain.qscheme()}".encode()
        plain = plain.int_repr()
    yield f"{tensor.stride() if tensor.layout is torch.strided else ''}".encode()
    if plain.numel():
        yield plain.resolve_conj().resolve_neg().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
