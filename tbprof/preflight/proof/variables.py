"""What the variables of a program reach at the end of a step, without running any code of the program's.

Parameters are those of the optimizers that have stepped, in their order. Models name them, and have buffers
and frozen copies. A dict or list of tensors with the shapes of a model's parameters holds weights kept aside,
as an average does. What is added up from step to step is printed later.
"""

from __future__ import annotations

import ast
import gc
import linecache
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, ModuleType
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn

from tbprof.preflight.proof.record import Role, TensorState
from tbprof.preflight.proof.state import Values, number_of, state_of
from tbprof.preflight.user_frame import is_programs
from tbprof.program.caller_frame import library_of

_MOST_OBJECTS = 20_000
_MOST_ITEMS = 1_000
_DEEPEST = 6
_COUNTING = ("torch.optim.lr_scheduler", "torch.amp.grad_scaler", "torch.cuda.amp.grad_scaler")


class Found:
    """What the variables of the program reach."""

    def __init__(self, innermost: FrameType | None) -> None:
        self.models: dict[str, nn.Module] = {}
        self.kept: dict[str, Tensor] = {}
        self.updated: dict[str, Tensor] = {}
        """Tensors of the program's own whose values it goes on to change."""
        self.sums: dict[str, float] = {}
        """Running sums: numbers that the program adds to, and lists of numbers that it appends to."""
        self.counters: dict[str, str] = {}
        """What schedulers and scalers of torch count."""
        self._containers: dict[str, Any] = {}
        self._seen: set[int] = set()
        self.frames = frames = _frames(innermost)
        self._summed = frozenset().union(*(_summed_in(frame.f_code.co_filename) for frame in frames))
        for name, value in _variables(frames):
            self._look(name, value, 0)
        inner = {id(one) for model in self.models.values() for one in list(model.modules())[1:]}
        self.models = {path: model for path, model in self.models.items() if id(model) not in inner}
        self.names = {
            id(parameter): f"{path}.{name}"
            for path, model in reversed(self.models.items())
            for name, parameter in model.named_parameters()
        }
        self._keep()

    def _look(self, path: str, value: Any, depth: int) -> None:
        kind = type(value)
        is_summed = path.rpartition(".")[2] in self._summed and self._add_up(path, value)
        if id(value) in self._seen or len(self._seen) > _MOST_OBJECTS or depth > _DEEPEST:
            return
        self._seen.add(id(value))
        if issubclass(kind, nn.Module):
            self.models[path] = value
        elif issubclass(kind, Tensor):
            if not is_summed and was_updated(value):
                self.updated[path] = value
        elif issubclass(kind, dict | list | tuple):
            self._look_in(path, value, depth)
        elif kind.__module__ in _COUNTING:
            self._count(kind.__name__, _attributes(value))
        elif not issubclass(kind, _PLAIN) and not _is_torchs(kind):
            for name, each in _held(value):
                self._look(f"{path}.{name}" if name else path, each, depth + 1)

    def _look_in(self, path: str, value: Any, depth: int) -> None:
        every = dict.items(value) if issubclass(type(value), dict) else enumerate(value)
        items = list(islice(every, _MOST_ITEMS))
        if items and all(isinstance(each, Tensor) for _, each in items):
            self._containers[path] = items
        for name, each in items:
            self._look(f"{path}[{name}]", each, depth + 1)

    def _add_up(self, path: str, value: Any) -> bool:
        is_list = type(value) is list and len(value) <= _MOST_ITEMS
        numbers = [_number(each) for each in (value if is_list else [value])]
        known = [number for number in numbers if number is not None]
        if len(known) == len(numbers):
            self.sums[path] = math.fsum(known)
        return len(known) == len(numbers)

    def _count(self, kind: str, held: Mapping[str, Any]) -> None:
        for name, value in held.items():
            number = None if name in ("_enabled", "verbose") else _number(value)
            if number is not None:
                at = sum(key.startswith(f"{name} of {kind} ") for key in self.counters) + 1
                self.counters[f"{name} of {kind} {at}"] = f"{number:.17g}"

    def _keep(self) -> None:
        """The containers with the shapes of a model's parameters that hold neither them nor gradients."""
        own: set[int] = set()
        shapes: list[list[str]] = []
        for model in self.models.values():
            parameters = list(model.parameters())
            own |= {one.grad.data_ptr() for one in parameters if one.grad is not None}
            trained = [one for one in parameters if one.requires_grad]
            states = [*parameters, *model.buffers()]
            own |= {one.data_ptr() for one in states}
            shapes += [sorted(str(one.shape) for one in each) for each in (parameters, trained, states)]
        for path, items in self._containers.items():
            held = [each for _, each in items if each.layout is torch.strided]
            if sorted(str(one.shape) for one in held) in shapes and not own & {
                one.data_ptr() for one in held
            }:
                self.kept |= {f"{path}[{name}]": each for name, each in items}
        strided = {path: each for path, each in self.updated.items() if each.layout is torch.strided}
        self.kept |= {path: each for path, each in strided.items() if each.data_ptr() not in own}


def was_updated(tensor: Tensor) -> bool:
    """Whether operators changed some of its values, in more than one step."""
    try:
        first, last = getattr(tensor.untyped_storage(), "_tbprof_updates", (0, 0))
    except (NotImplementedError, RuntimeError):
        return False
    return bool(first != last)


_PLAIN = (ModuleType, type, CodeType, FrameType, BuiltinFunctionType, str, bytes, int, float, complex)


def _held(value: Any) -> Iterator[tuple[str, Any]]:
    """What an object holds; without a name what is in no attribute: slots, cells, frames that wait."""
    if isinstance(value, FunctionType):
        cells = zip(value.__code__.co_freevars, value.__closure__ or (), strict=False)
        yield from ((name, each) for name, cell in cells for each in gc.get_referents(cell))
        return
    held = _attributes(value)
    yield from list(held.items())
    if not held:
        yield from (("", each) for each in gc.get_referents(value)[:_MOST_ITEMS])


def _attributes(value: Any) -> dict[str, Any]:
    """The attributes that it holds itself, without any code of its class."""
    try:
        held = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return held if type(held) is dict else {}


def _is_torchs(kind: type) -> bool:
    return str(getattr(kind, "__module__", "")).partition(".")[0] in (
        "torch",
        "tbprof",
        "threading",
        "logging",
    )


def _number(value: Any) -> float | None:
    """The value of a number or of a tensor with one element."""
    if isinstance(value, Tensor):
        is_plain = value.numel() == 1 and value.layout is torch.strided and not value.is_complex()
        return number_of(value) if is_plain and not value.is_meta else None
    return float(value) if type(value) in (int, float) else None


@lru_cache(maxsize=256)
def _summed_in(file: str) -> frozenset[str]:
    """The names and attributes that a file of the program adds or appends to."""
    if library_of(file) is not None:
        return frozenset()
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return frozenset()
    found: list[ast.expr] = [node.target for node in ast.walk(tree) if isinstance(node, ast.AugAssign)]
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    found += [call.value for call in calls if isinstance(call, ast.Attribute) and call.attr == "append"]
    names = (getattr(each, "id", getattr(each, "attr", "")) for each in found)
    return frozenset(filter(None, names))


def _frames(frame: FrameType | None) -> list[FrameType]:
    """The frames around, of the program and its libraries, from the outside in."""
    frames: list[FrameType] = []
    while frame is not None:
        is_ours = str(frame.f_globals.get("__name__")).startswith("tbprof.")
        if is_programs(frame.f_code.co_filename) and not is_ours:
            frames.append(frame)
        frame = frame.f_back
    return frames[::-1]


def _variables(frames: Sequence[FrameType]) -> Iterator[tuple[str, Any]]:
    for each in frames:
        yield from list(each.f_locals.items())
        if each.f_locals is not each.f_globals and each.f_globals.get("__name__") == "__main__":
            yield from list(each.f_globals.items())


def states_of(
    optimizers: Sequence[Any], gradients: Sequence[TensorState], found: Found, values: Values | None
) -> Iterator[TensorState]:
    """All tensors that last, each once."""
    seen: set[int] = set()
    for role, name, tensor in (*_of_optimizers(optimizers, found), *_of_models(found)):
        if id(tensor) not in seen:
            seen.add(id(tensor))
            yield state_of(tensor, role, name, values)
    yield from gradients


_Named: TypeAlias = tuple[Role, str, Tensor]


def _of_optimizers(optimizers: Sequence[Any], found: Found) -> Iterator[_Named]:
    for number, optimizer in enumerate(optimizers, 1):
        for at, parameter in enumerate(parameters_of(optimizer)):
            name = found.names.get(id(parameter), f"optimizer {number}, parameter {at}")
            yield "parameter", name, parameter
            state = optimizer.state.get(parameter, {})
            # By the keys alone: to sort by what they hold would print it.
            for key, held in sorted(dict.items(state), key=_key) if issubclass(type(state), dict) else ():
                if isinstance(held, Tensor):
                    yield "optimizer state", f"{key} of {name}", held


def _of_models(found: Found) -> Iterator[_Named]:
    for path, model in found.models.items():
        yield from (("parameter", f"{path}.{name}", each) for name, each in model.named_parameters())
        yield from (("buffer", f"{path}.{name}", each) for name, each in model.named_buffers())
    yield from (("weights kept aside", path, held) for path, held in found.kept.items())


def _key(item: tuple[object, object]) -> str:
    return str(item[0])


def parameters_of(optimizer: Any) -> list[Tensor]:
    return [one for group in optimizer.param_groups for one in group["params"]]
