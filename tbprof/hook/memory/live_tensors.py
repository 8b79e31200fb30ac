"""The tensors of a device that Python knows, by what they are."""

from __future__ import annotations

import gc
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch.optim import Optimizer

from tbprof.model import HeldTensors

__all__ = ["held_tensors"]

LONGEST_S = 0.5
"""Who waits for an exception is not made to wait for long."""
_MOST_SHAPES = 10
_EACH_LOOK = 1000
_TENSORS = (torch.Tensor, torch.nn.Parameter)
"""Not subclasses: what they are asked may run code of the program's."""


class _Storages:
    """Storages of a device, each counted for whoever names it first."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._seen: set[int] = set()

    def size_of(self, tensor: object) -> int:
        """Of its storage; 0 where that is counted, or lies elsewhere."""
        if type(tensor) not in _TENSORS:
            return 0
        assert isinstance(tensor, torch.Tensor)
        if tensor.layout != torch.strided or tensor.device != self._device:
            return 0
        storage = tensor.untyped_storage()
        if storage.data_ptr() in self._seen:
            return 0
        self._seen.add(storage.data_ptr())
        return int(storage.nbytes())

    def total(self, tensors: Iterable[object]) -> int:
        return sum(map(self.size_of, tensors))


def held_tensors(device: torch.device) -> HeldTensors:
    """Look at all objects of the program, for `LONGEST_S` at most."""
    found, is_whole = _tensors_and_optimizers(time.monotonic() + LONGEST_S)
    storages = _Storages(device)
    parameters = [one for one in found if type(one) is torch.nn.Parameter]
    optimizers = [one for one in found if issubclass(type(one), Optimizer)]
    # In this order: a gradient that an optimizer keeps as well is a gradient.
    parameters_bytes = storages.total(parameters)
    gradients_bytes = storages.total(parameter.grad for parameter in parameters)
    optimizer_bytes = storages.total(_states(optimizers))
    others: defaultdict[str, list[int]] = defaultdict(list)
    for one in found:
        if size_bytes := storages.size_of(one):
            others[f"{list(one.shape)} {str(one.dtype).removeprefix('torch.')}"].append(size_bytes)
    largest = sorted(others.items(), key=lambda item: -sum(item[1]))[:_MOST_SHAPES]
    return HeldTensors(
        parameters_bytes=parameters_bytes,
        gradients_bytes=gradients_bytes,
        optimizer_bytes=optimizer_bytes,
        other_bytes=sum(map(sum, others.values())),
        largest=tuple((name, len(sizes), sum(sizes)) for name, sizes in largest),
        is_whole=is_whole,
    )


def _tensors_and_optimizers(until: float) -> tuple[list[Any], bool]:
    """What the collector tracks of both, and whether there was time for all."""
    found: list[Any] = []
    for number, one in enumerate(gc.get_objects()):
        # type() and not isinstance(): a proxy's __class__ may run code of its own.
        if type(one) in _TENSORS or issubclass(type(one), Optimizer):
            found.append(one)
        if number % _EACH_LOOK == 0 and time.monotonic() > until:
            return found, False
    return found, True


def _states(optimizers: Iterable[Any]) -> Iterator[object]:
    for optimizer in optimizers:
        for state in optimizer.state.values():
            yield from state.values() if isinstance(state, dict) else ()
