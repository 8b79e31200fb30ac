"""The tensors of a device that Python knows, by what they are and who holds them."""

from __future__ import annotations

import gc
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from tbprof.hook.memory.followed_storages import StorageFollower
from tbprof.hook.safety.program_values import (
    class_name,
    contents_of,
    is_a,
    is_plain_tensor,
    is_tensor,
    items_of,
    named_modules,
)
from tbprof.model import HeldTensors

LONGEST_S = 0.8
"""Who waits for an exception is not made to wait for long."""
_OF_IT_TO_FIND = 0.6
"""A share, for the objects; the rest is for what the tensors among them are."""
_MOST_SHAPES = 10
_AT_ONCE = 10_000
_TENSORS = (torch.Tensor, torch.nn.Parameter)
"""Not subclasses: what they are asked may run code of the program's."""

_One = TypeVar("_One")


class _Time:
    """What is left of it for a look at many objects."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self.was_enough = True

    def pieces(self, objects: list[_One]) -> Iterator[list[_One]]:
        """Them, many at once, until the time is over."""
        for first in range(0, len(objects), _AT_ONCE):
            if time.monotonic() > self._until:
                self.was_enough = False
                return
            yield objects[first : first + _AT_ONCE]

    def each(self, objects: list[_One]) -> Iterator[_One]:
        """Them, one by one."""
        return chain.from_iterable(self.pieces(objects))


class _Storages:
    """Storages of a device, each counted for whoever names it first."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._seen: set[int] = set()

    def new(self, tensor: object) -> torch.UntypedStorage | None:
        """The storage of a tensor; None where it is counted, or lies elsewhere."""
        if type(tensor) not in _TENSORS:
            return None
        assert isinstance(tensor, torch.Tensor)
        if tensor.layout != torch.strided or tensor.device != self._device:
            return None
        storage = tensor.untyped_storage()
        if storage.data_ptr() in self._seen:
            return None
        self._seen.add(storage.data_ptr())
        return storage

    def total(self, tensors: Iterable[object]) -> int:
        return sum(storage.nbytes() for storage in map(self.new, tensors) if storage is not None)


class _Holders:
    """Whether torch itself holds what Python knows, as autograd does until the backward pass."""

    def __init__(self, tensors: Iterable[torch.Tensor], device: torch.device) -> None:
        """`tensors` are all that Python knows."""
        mine = [one for one in tensors if one.layout == torch.strided and one.device == device]
        self._sharing = Counter(one.untyped_storage().data_ptr() for one in mine)
        self._views = Counter(id(one._base) for one in mine if one._is_view())

    def is_kept(self, tensor: torch.Tensor, storage: torch.UntypedStorage) -> bool:
        """Whether there are more holders than Python's objects and the views of them.

        A tensor is saved as it is, or, where it is its own operator's result, by another one of its storage.
        """
        # The object that was just made of the storage is a holder, too.
        beside: int = torch._C._storage_Use_Count(storage._cdata) - 1 - self._sharing[storage.data_ptr()]
        in_graph: int = tensor._use_count() - 1 - self._views[id(tensor)]
        return beside > 0 or in_graph > 0


def held_tensors(device: torch.device) -> HeldTensors:
    """Look at all objects of the program, for `LONGEST_S` at most."""
    finding, asking = _Time(LONGEST_S * _OF_IT_TO_FIND), _Time(LONGEST_S)
    tensors, optimizers = _tensors_and_optimizers(finding)
    storages, holders = _Storages(device), _Holders(asking.each(tensors), device)
    parameters = [one for one in tensors if type(one) is torch.nn.Parameter]
    # Without modules they are plain tensors.
    parameters += _stepped(optimizers)
    # In this order: a gradient that an optimizer keeps as well is a gradient.
    parameters_bytes = storages.total(parameters)
    gradients_bytes = storages.total(parameter.grad for parameter in parameters)
    optimizer_bytes = storages.total(_states(optimizers))
    others: defaultdict[str, list[int]] = defaultdict(list)
    kept_bytes = 0
    for one in asking.each(tensors):
        storage = storages.new(one)
        if storage is None:
            continue
        others[f"{list(one.shape)} {str(one.dtype).removeprefix('torch.')}"].append(storage.nbytes())
        kept_bytes += storage.nbytes() if holders.is_kept(one, storage) else 0
    largest = sorted(others.items(), key=lambda item: -sum(item[1]))[:_MOST_SHAPES]
    return HeldTensors(
        parameters_bytes=parameters_bytes,
        gradients_bytes=gradients_bytes,
        optimizer_bytes=optimizer_bytes,
        saved_bytes=kept_bytes,
        other_bytes=sum(map(sum, others.values())) - kept_bytes,
        largest=tuple((name, len(sizes), sum(sizes)) for name, sizes in largest),
        is_whole=finding.was_enough and asking.was_enough,
    )


def _tensors_and_optimizers(look: _Time) -> tuple[list[torch.Tensor], list[Optimizer]]:
    """What the collector tracks of both; a tensor of autograd's that once was a variable is among them."""
    tensors: list[Any] = []
    optimizers: list[Any] = []
    for objects in look.pieces(gc.get_objects()):
        # type() and not isinstance(): a proxy's __class__ may run code of its own.
        kinds = set(map(type, objects))
        steps = {kind for kind in kinds if issubclass(kind, Optimizer)}
        if not kinds.isdisjoint(_TENSORS):
            tensors += [one for one in objects if type(one) in _TENSORS]
        if steps:
            optimizers += [one for one in objects if type(one) in steps]
    return tensors, optimizers


def _stepped(optimizers: Iterable[Any]) -> Iterator[torch.Tensor]:
    """What optimizers change; nothing of one whose constructor is not over."""
    for optimizer in optimizers:
        for group in contents_of(optimizer).get("param_groups", ()):
            yield from (one for one in group["params"] if type(one) in _TENSORS)


def _states(optimizers: Iterable[Any]) -> Iterator[object]:
    for optimizer in optimizers:
        for state in items_of(contents_of(optimizer).get("state")):
            yield from items_of(state) if is_a(state, dict) else ()


_LONGEST_S = 2.0
"""A step of a training may take a moment longer, and not much."""
_EACH_LOOK = 1000
_GET_GRADIENT = Tensor.grad.__get__
_GET_IS_LEAF = Tensor.is_leaf.__get__
_COMPILED = "OptimizedModule"


class KnownTensors:
    """The tensors of the program, as they were when the step began; held until it is over."""

    def __init__(self) -> None:
        self._modules: list[nn.Module] = []
        self._optimizers: list[Optimizer] = []
        self._tensors: list[Tensor] = []
        self.is_whole = True
        self._find(time.monotonic() + _LONGEST_S)
        self.names: dict[int, str] = {}
        """The names of modules by their identity."""
        for root in self._roots():
            first = class_name(root)
            for name, module in named_modules(root):
                self.names.setdefault(id(module), _joined(first, name))

    @property
    def has_compiled_module(self) -> bool:
        """Whether a module would be compiled, or is."""
        return any(
            class_name(module) == _COMPILED or contents_of(module).get("_compiled_call_impl") is not None
            for module in self._modules
        )

    def say_to(self, follower: StorageFollower, *, all_tensors: bool = False) -> None:
        """What they are now; with `all_tensors`, also that the others were there before."""
        for module in self._modules:
            name = self.names.get(id(module)) or class_name(module)
            self._say_parameters(follower, contents_of(module)["_parameters"].values(), name)
            for buffer in _tensors_in(contents_of(module)["_buffers"].values()):
                follower.see(buffer, "parameters", name)
        for optimizer in self._optimizers:
            self.say_of(optimizer, follower)
        if all_tensors:
            for tensor in self._tensors:
                follower.see(tensor, "parameters" if type(tensor) is nn.Parameter else "other")
            self._tensors = []

    def say_of(self, optimizer: Optimizer, follower: StorageFollower) -> None:
        """Its parameters, their gradients, and its state."""
        for group in items_of(contents_of(optimizer)["param_groups"]):
            if is_a(group, dict):
                self._say_parameters(follower, items_of(dict.get(group, "params")), "")
        states = contents_of(optimizer).get("state", {})
        for parameter, state in dict.items(states) if is_a(states, dict) else ():
            owner = _module_of(parameter, follower) if is_tensor(parameter) else ""
            for tensor in _tensors_in(items_of(state)):
                follower.see(tensor, "optimizer state", owner)

    @staticmethod
    def _say_parameters(follower: StorageFollower, parameters: Iterable[Any], module: str) -> None:
        for parameter in _tensors_in(parameters):
            follower.see(parameter, "parameters", module)
            gradient = _GET_GRADIENT(parameter) if _GET_IS_LEAF(parameter) else None
            if gradient is not None:
                follower.see(gradient, "gradients", module or _module_of(parameter, follower))

    def _find(self, until: float) -> None:
        for number, one in enumerate(gc.get_objects()):
            # type() and not isinstance(): a proxy's __class__ may run code of its own.
            if is_plain_tensor(one):
                self._tensors.append(one)
            elif issubclass(type(one), nn.Module):
                self._modules.append(one)
            elif issubclass(type(one), Optimizer):
                self._optimizers.append(one)
            if number % _EACH_LOOK == 0 and time.monotonic() > until:
                self.is_whole = False
                return
        # One whose constructor is not over has none of these.
        self._modules = [
            one for one in self._modules if {"_parameters", "_modules"} <= contents_of(one).keys()
        ]
        self._optimizers = [one for one in self._optimizers if "param_groups" in contents_of(one)]

    def _roots(self) -> list[nn.Module]:
        inner = {id(child) for module in self._modules for child in contents_of(module)["_modules"].values()}
        return [module for module in self._modules if id(module) not in inner]


def _module_of(parameter: Tensor, follower: StorageFollower) -> str:
    block = follower.block_of(parameter) if is_plain_tensor(parameter) else None
    return "" if block is None else block.module


def _tensors_in(values: Iterable[Any]) -> Iterator[Tensor]:
    for value in values:
        if is_tensor(value):
            yield value
        elif is_a(value, dict, list, tuple):
            yield from _tensors_in(items_of(value))


def _joined(first: str, rest: str) -> str:
    return f"{first}.{rest}" if rest else first
