"""Follows each storage with a mark of the device while a program runs under preflight.

A storage is known by an object of ours that it carries and that dies with it. What a forward allocates
belongs to the module that runs. Which tensors are parameters, gradients and an optimizer's state is asked of
modules and optimizers when they are called.

What an operator of the CPU allocates while it runs, beyond what is there before it.

Some need far more than their results: the backward of a convolution copies its tensors into another layout.
Nothing of that becomes a storage that could be followed; only the allocator sees it, and tells a profiler.
torch's older one is used: it takes 0.1 ms a call, and prints nothing. Each operator is asked once for each
set of shapes.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules import module as modules
from torch.optim import optimizer as optimizers

from tbprof.preflight.device_marks import FOLLOWERS, Place
from tbprof.preflight.fits.blocks import Block, Call, Kind, Log, Phase
from tbprof.preflight.user_frame import origin
from tbprof.preflight.watching.mode import RUNNERS, last_op

_LIFE = "_tbprof_device_life"
_MAKERS = frozenset(
    (
        *("_to_copy", "clone", "arange", "empty", "empty_strided", "eye", "full"),
        *("normal", "ones", "rand", "randint", "randn", "randperm", "zeros"),
    )
)
"""Operators that make an input, where they run outside all modules."""


class _Life:
    """Lives as long as the storage that carries it."""

    __slots__ = ("block", "log")

    def __init__(self, log: Log, block: Block) -> None:
        self.log, self.block = log, block

    def __del__(self) -> None:
        self.log.free(self.block)


class Follower:
    """What is followed goes to `log`."""

    def __init__(self) -> None:
        self.log = Log()
        self.steps = 0
        """The steps that optimizers have taken."""
        self._modules: list[str] = []
        self._names: dict[int, str] = {}
        self._inside = InsideOperators()
        self._is_optimizing = self._was_backward = self._knows_all_modules = False

    @contextmanager
    def hooks(self) -> Iterator[None]:
        """Ask modules and optimizers; before preflight counts their steps, and ends at the last one."""
        with ExitStack() as stack:
            for handle in (
                modules.register_module_forward_pre_hook(self._enter),
                modules.register_module_forward_hook(self._leave, always_call=True),
                optimizers.register_optimizer_step_pre_hook(self._before_step),
                optimizers.register_optimizer_step_post_hook(self._after_step),
            ):
                stack.callback(handle.remove)
            yield

    @contextmanager
    def following(self) -> Iterator[None]:
        """Follow what gets a mark from here on."""
        FOLLOWERS.append(self._follow)
        RUNNERS.append(self._run)
        try:
            yield
        finally:
            FOLLOWERS.remove(self._follow)
            RUNNERS.remove(self._run)

    def _run(self, operator: Any, args: tuple[Any, ...], options: Mapping[str, Any], place: Place) -> Any:
        events = self.log.events
        result, inside_bytes = self._inside.run(operator, args, options)
        if inside_bytes:
            call = Call(events, place.device.index or 0, last_op(), _line(), inside_bytes)
            self.log.calls.append(call)
        return result

    def _follow(self, storage: Any, place: Place) -> None:
        life = getattr(storage, _LIFE, None)
        if life is not None:
            if place.is_host:
                life.log.withdraw(life.block)
        elif place.is_device and (size := storage.nbytes()):
            block = self._new_block(size, place.device.index or 0)
            self.log.add(block)
            setattr(storage, _LIFE, _Life(self.log, block))

    def _new_block(self, size: int, device: int) -> Block:
        phase = self._phase()
        module = self._modules[-1] if self._modules and phase == "forward" else ""
        block = Block(size, device, 0, self.steps, phase, module, _line())
        name = last_op().partition("::")[2].partition(".")[0]
        if phase == "forward" and not module and name in _MAKERS:
            block.kind = "inputs"
        return block

    def _phase(self) -> Phase:
        is_backward = torch._C._current_autograd_node() is not None
        if is_backward and not self._was_backward:
            self.log.backward_starts.append(self.log.events + 1)
        self._was_backward = is_backward
        if is_backward:
            return "backward"
        # A closure has its forward and backward inside of the optimizer's step.
        return "optimizer" if self._is_optimizing and not self._modules else "forward"

    def _enter(self, module: nn.Module, _arguments: Any) -> None:
        if not self._modules:
            self._begin(module)
        outer = self._modules[-1] if self._modules else ""
        self._modules.append(self._names.get(id(module)) or f"{outer}.{type(module).__name__}")

    def _leave(self, _module: nn.Module, _arguments: Any, _output: Any) -> None:
        if self._modules:
            self._modules.pop()

    def _begin(self, root: nn.Module) -> None:
        """The outermost module is called."""
        first = type(root).__name__
        self._names = {id(module): _joined(first, name) for name, module in root.named_modules()}
        for name, parameter in (*root.named_parameters(), *root.named_buffers()):
            owner = _joined(first, name.rpartition(".")[0])
            _say("parameters", [parameter], owner)
            _say("gradients", [parameter.grad] if parameter.is_leaf else [], owner)

    def _before_step(self, optimizer: Any, *_: Any) -> None:
        self._is_optimizing = True
        self._ask(optimizer)
        if not self._knows_all_modules:
            self._knows_all_modules = True
            _say_of_all_modules()

    def _after_step(self, optimizer: Any, *_: Any) -> None:
        self._is_optimizing = False
        self.steps += 1
        self._ask(optimizer)
        for parameter, state in optimizer.state.items():
            owner = _owner(parameter) if isinstance(parameter, Tensor) else None
            _say("optimizer state", _tensors(state), owner)

    @staticmethod
    def _ask(optimizer: Any) -> None:
        for parameter in (one for group in optimizer.param_groups for one in group["params"]):
            _say("parameters", [parameter], None)
            _say("gradients", [parameter.grad], _owner(parameter))


def _line() -> str:
    """The program's, that runs."""
    where = origin(sys._getframe(1))
    return f"{where.source.file}({where.source.line}): {where.source.function}" if where else ""


def _joined(first: str, rest: str) -> str:
    return f"{first}.{rest}" if rest else first


def _say(kind: Kind, tensors: Iterable[Any], owner: str | None) -> None:
    """What tensors are, and whose; a storage that is known as a parameter's stays that."""
    for tensor in tensors:
        block = _block_of(tensor)
        if block is not None and (block.kind != "parameters" or kind == "parameters"):
            block.kind = kind
            block.module = block.module if owner is None else owner


def _say_of_all_modules() -> None:
    """Count modules as well that nobody calls and no optimizer steps, such as an averaged copy of the
    model.
    """
    for one in gc.get_objects():
        # type() and not isinstance(): a proxy's __class__ may run code of its own.
        if issubclass(type(one), nn.Module):
            held = (one.__dict__.get(name, {}) for name in ("_parameters", "_buffers"))
            for block in map(_block_of, (tensor for tensors in held for tensor in tensors.values())):
                if block is not None and block.kind != "parameters":
                    block.kind, block.module = "parameters", type(one).__name__


def _owner(parameter: Tensor) -> str | None:
    block = _block_of(parameter)
    return None if block is None else block.module


def _block_of(tensor: Any) -> Block | None:
    if not isinstance(tensor, Tensor):
        return None
    try:
        life = getattr(tensor.untyped_storage(), _LIFE, None)
    except (NotImplementedError, RuntimeError):
        return None
    return None if life is None else life.block


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _tensors(inner)


_MOST_SIGNATURES = 5_000


class InsideOperators:
    """The most that each operator had allocated at one moment, its results with it."""

    def __init__(self) -> None:
        self._known: dict[object, int] = {}
        self._begin = _profiler_of_allocations()

    def run(
        self, function: Callable[..., Any], args: tuple[Any, ...], options: Mapping[str, Any]
    ) -> tuple[Any, int]:
        """The operator's result, and the bytes; 0 where they can't be known."""
        key = (function, _signature(args), _signature(options.values()))
        known = self._known.get(key)
        if known is not None or self._begin is None or len(self._known) >= _MOST_SIGNATURES:
            return function(*args, **options), known or 0
        if torch.autograd._profiler_enabled():
            return function(*args, **options), 0
        self._begin()
        try:
            result = function(*args, **options)
        finally:
            events = torch._C._autograd._disable_profiler_legacy()
        self._known[key] = inside = _most(events)
        return result, inside


def _profiler_of_allocations() -> Callable[[], None] | None:
    """What begins it; None in a torch that has no such profiler any more."""
    try:
        enable = torch._C._autograd._enable_profiler_legacy
        profiling = torch._C._profiler
        settings = (False, True, False, False, False, profiling._ExperimentalConfig())
        config = profiling.ProfilerConfig(profiling.ProfilerState.CPU, *settings)
    except (AttributeError, TypeError):
        return None
    return lambda: enable(config)


def _signature(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(map(_of_one, values))


def _of_one(value: Any) -> Any:
    if isinstance(value, Tensor):
        if value.layout is not torch.strided:
            return str(value.layout), value.dtype, tuple(value.shape), value._nnz() if value.is_sparse else 0
        return value.dtype, tuple(value.shape), value.stride()
    return _signature(value) if isinstance(value, list | tuple) else str(value)


def _most(threads: Iterable[Iterable[Any]]) -> int:
    now = most = 0
    for event in (event for events in threads for event in events):
        if event.kind() == "memory_alloc":
            now += event.cpu_memory_usage()
            most = max(most, now)
    return most
