"""Which tensors are parameters, gradients and state, and of which module: all that Python knows is asked."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterable, Iterator
from typing import Any

from torch import Tensor, nn
from torch.optim import Optimizer

from tbprof.hook.memory.storage_mode import StorageMode, block_of
from tbprof.hook.safety.program_values import is_a, is_plain_tensor, is_tensor, items_of

_LONGEST_S = 2.0
"""A step of a training may take a moment longer, and not much."""
_EACH_LOOK = 1000
_GET_GRADIENT = Tensor.grad.__get__
_GET_IS_LEAF = Tensor.is_leaf.__get__
_COMPILED = "OptimizedModule"


class KnownTensors:
    """Of the program, as they were when the step began; held until it is over."""

    def __init__(self) -> None:
        self._modules: list[nn.Module] = []
        self._optimizers: list[Optimizer] = []
        self._tensors: list[Tensor] = []
        self.is_whole = True
        self._find(time.monotonic() + _LONGEST_S)
        self.names: dict[int, str] = {}
        """Of modules by their identity."""
        for root in self._roots():
            first = type(root).__name__
            # torch's own: one of the program's would be code of its.
            for name, module in nn.Module.named_modules(root):
                self.names.setdefault(id(module), _joined(first, name))

    @property
    def has_compiled_module(self) -> bool:
        """Whether a module would be compiled, or is."""
        return any(type(module).__name__ == _COMPILED for module in self._modules)

    def say_to(self, mode: StorageMode, *, all_tensors: bool = False) -> None:
        """What they are now; with `all_tensors`, also that the others were there before."""
        for module in self._modules:
            name = self.names.get(id(module), type(module).__name__)
            self._say_parameters(mode, module.__dict__["_parameters"].values(), name)
            for buffer in _tensors_in(module.__dict__["_buffers"].values()):
                mode.see(buffer, "parameters", name)
        for optimizer in self._optimizers:
            self.say_of(optimizer, mode)
        if all_tensors:
            for tensor in self._tensors:
                mode.see(tensor, "parameters" if type(tensor) is nn.Parameter else "other")
            self._tensors = []

    def say_of(self, optimizer: Optimizer, mode: StorageMode) -> None:
        """Its parameters, their gradients, and its state."""
        for group in optimizer.__dict__["param_groups"]:
            self._say_parameters(mode, group["params"], "")
        for parameter, state in optimizer.__dict__.get("state", {}).items():
            owner = _module_of(parameter) if is_tensor(parameter) else ""
            for tensor in _tensors_in(items_of(state)):
                mode.see(tensor, "optimizer state", owner)

    @staticmethod
    def _say_parameters(mode: StorageMode, parameters: Iterable[Any], module: str) -> None:
        for parameter in _tensors_in(parameters):
            mode.see(parameter, "parameters", module)
            gradient = _GET_GRADIENT(parameter) if _GET_IS_LEAF(parameter) else None
            if gradient is not None:
                mode.see(gradient, "gradients", module or _module_of(parameter))

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
        self._modules = [one for one in self._modules if {"_parameters", "_modules"} <= one.__dict__.keys()]
        self._optimizers = [one for one in self._optimizers if "param_groups" in one.__dict__]

    def _roots(self) -> list[nn.Module]:
        inner = {id(child) for module in self._modules for child in module.__dict__["_modules"].values()}
        return [module for module in self._modules if id(module) not in inner]


def _module_of(parameter: Tensor) -> str:
    block = block_of(parameter) if is_plain_tensor(parameter) else None
    return "" if block is None else block.module


def _tensors_in(values: Iterable[Any]) -> Iterator[Tensor]:
    for value in values:
        if is_tensor(value):
            yield value
        elif is_a(value, dict, list, tuple):
            yield from _tensors_in(items_of(value))


def _joined(first: str, rest: str) -> str:
    return f"{first}.{rest}" if rest else first
