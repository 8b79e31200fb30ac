"""Sees what a program works on and what comes of it, step by step, while preflight runs it."""

from __future__ import annotations

import os
import random
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules import module as modules
from torch.optim import optimizer as optimizers

from tbprof.preflight.device_marks import FOLLOWERS, Place, place_of
from tbprof.preflight.patch import Patch, applied
from tbprof.preflight.proof.buffers import PinnedBuffers
from tbprof.preflight.proof.guard import functions_now, replaced, undetermined_patches
from tbprof.preflight.proof.record import ZERO, Batch, Fault, SideRecord, StepState, Task, TensorState
from tbprof.preflight.proof.said import Listener
from tbprof.preflight.proof.state import Values, digest_of, number_of, state_of, unseen
from tbprof.preflight.proof.turns import turns_of
from tbprof.preflight.proof.variables import Found, parameters_of, states_of
from tbprof.preflight.user_frame import origin
from tbprof.preflight.watching import copies, streams
from tbprof.preflight.watching.mode import RUNNERS
from tbprof.program.caller_frame import TORCH

"""Any number that no program sets itself."""

_NOT_OF_THE_RESULT = ("params", "foreach", "fused", "capturable", "differentiable")
"""Settings of an optimizer that say how it computes, and not what."""


_OF_TORCH: Mapping[str, Callable[[], object]] = {
    "the default type": torch.get_default_dtype,
    "the precision of float32 in matmuls": lambda: torch._C._get_fp32_precision_getter("cuda", "matmul"),
    "the precision of float32 in convolutions": lambda: torch._C._get_fp32_precision_getter("cuda", "conv"),
    "the precision of float32 in RNNs": lambda: torch._C._get_fp32_precision_getter("cuda", "rnn"),
    "TF32 in matmuls": torch._C._get_cublas_allow_tf32,
    "TF32 in cuDNN": torch._C._get_cudnn_allow_tf32,
    "sums of float16 in float16": torch._C._get_cublas_allow_fp16_reduced_precision_reduction,
    "sums of bfloat16 in bfloat16": torch._C._get_cublas_allow_bf16_reduced_precision_reduction,
    "the type of autocast": lambda: torch.get_autocast_dtype("cuda"),
    "NVIDIA_TF32_OVERRIDE": lambda: os.environ.get("NVIDIA_TF32_OVERRIDE"),
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE": lambda: os.environ.get("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE"),
}
"""Settings of torch that change what a device computes, and nothing here."""


class Witness:
    """What it saw is in its fields, which are those of a `SideRecord`."""

    def __init__(self, task: Task, against: SideRecord | None) -> None:
        self.steps: list[StepState] = []
        self.batches: list[Batch] = []
        self.inputs: list[Batch] = []
        self.operators, self.pinned = [0], [0]
        self.faults: dict[Fault, None] = {}
        self.turns = (1, "")
        self.buffers = PinnedBuffers(self._note)
        self.undetermined: dict[str, None] = {}
        self.listener = Listener(lambda: len(self.steps), task.root)
        self._values = Values(Path(task.values))
        self._values_from, self._against = task.values_from, against
        compared = () if against is None else against.steps
        self._known = [frozenset(each.digest for each in step.tensors) for step in compared]
        """The digests of the run that this one is compared with, by step."""
        self._optimizers: list[Any] = []
        self._gradients: dict[tuple[int, int], TensorState] = {}
        self._losses: list[tuple[str, str]] = []
        self._names: dict[int, str] = {}
        self._depth = threading.local()
        self._runner: Callable[..., Any] | None = None
        self._root = f"{task.root}/"
        self._thread = threading.get_ident()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Around preflight: its own hooks of optimizers come after these."""
        with ExitStack() as stack:
            for handle in (
                modules.register_module_forward_pre_hook(self._enter),
                modules.register_module_forward_hook(self._leave, always_call=True),
                optimizers.register_optimizer_step_pre_hook(self._before_step),
            ):
                stack.callback(handle.remove)
            yield
            self._values.close()

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Inside preflight, whose functions are in place."""
        with ExitStack() as stack:
            for patch in (
                Patch("torch.utils.data.dataloader:_BaseDataLoaderIter", "__next__", self._drawing),
                Patch("torch:Tensor", "backward", self._beginning),
                Patch("torch:Tensor", "__hash__", self._hashing),
                Patch("torch:Tensor", "pin_memory", self._pinning),
                *self.listener.patches(),
                *undetermined_patches(self.undetermined),
            ):
                stack.enter_context(applied(patch))
            self._runner = RUNNERS[-1] if RUNNERS else None
            RUNNERS.append(self._count)
            stack.callback(RUNNERS.remove, self._count)
            copies.WITNESSES.append(self.buffers)
            stack.callback(copies.WITNESSES.remove, self.buffers)
            FOLLOWERS.append(self._note_made)
            stack.callback(FOLLOWERS.remove, self._note_made)
            before = functions_now()
            try:
                yield
            finally:
                self.listener.finish()
                self.faults |= dict.fromkeys(replaced(before))

    def look(self) -> None:
        """A step is over."""
        with unseen():
            self.buffers.check_sources()
            found = Found(sys._getframe(1))
            self.turns = turns_of(found.frames)
            self._names |= found.names
            values = self._values if self._is_wanted() else None
            made = self._state(found, values)
            if values is None and self._values_from is None and self._differs(made):
                self._values_from = len(self.steps)
                made = self._state(found, self._values)
        self.steps.append(made)
        self.operators.append(0)
        self.pinned.append(0)
        self._gradients.clear()
        self._losses.clear()

    def _is_wanted(self) -> bool:
        return self._values_from is not None and len(self.steps) >= self._values_from

    def _state(self, found: Found, values: Values | None) -> StepState:
        gradients = [
            TensorState(each.role, self._names.get(key, each.name), *_rest(each))
            for (_, key), each in self._gradients.items()
        ]
        return StepState(
            tensors=tuple(states_of(self._optimizers, gradients, found, values)),
            numbers={**dict(self._numbers()), **found.counters},
            sums=found.sums,
            line=_line(),
            losses=tuple(self._losses),
        )

    def _differs(self, made: StepState) -> bool:
        if self._against is None or len(self._against.steps) <= len(self.steps):
            return False
        other = self._against.steps[len(self.steps)]
        return sorted(each.digest for each in other.tensors) != sorted(each.digest for each in made.tensors)

    def _numbers(self) -> Iterator[tuple[str, str]]:
        for name, ask in _OF_TORCH.items():
            with suppress(AttributeError, RuntimeError):
                yield name, str(ask())
        for number, optimizer in enumerate(self._optimizers, 1):
            for at, group in enumerate(optimizer.param_groups):
                for name, value in group.items():
                    if name not in _NOT_OF_THE_RESULT and not name.startswith("initial_"):
                        yield f"{name} of optimizer {number}, group {at}", _setting(value)
        yield "the random state of torch", digest_of(torch.get_rng_state())
        yield "the random state of Python", digest_of(random.getstate())
        if (numpy := sys.modules.get("numpy")) is not None:
            yield "the random state of numpy", digest_of(numpy.random.get_state())

    def _before_step(self, optimizer: Any, *_: Any) -> None:
        if not any(optimizer is each for each in self._optimizers):
            self._optimizers.append(optimizer)
        number = next(at for at, each in enumerate(self._optimizers, 1) if each is optimizer)
        with unseen():
            for at, parameter in enumerate(parameters_of(optimizer)):
                state = self._gradient(parameter, f"optimizer {number}, parameter {at}")
                self._gradients[len(self._gradients), id(parameter)] = state

    def _gradient(self, parameter: Tensor, name: str) -> TensorState:
        if parameter.grad is None:
            return TensorState("gradient", name, tuple(parameter.shape), "", ZERO, "", None)
        state = state_of(parameter.grad, "gradient", name, self._values if self._is_wanted() else None)
        if state.at is None and self._values_from is None and self._has_not(state):
            self._values_from = len(self.steps)
            return state_of(parameter.grad, "gradient", name, self._values)
        return state

    def _has_not(self, state: TensorState) -> bool:
        """Whether the run that this one is compared with lacks this tensor in this step."""
        at = len(self.steps)
        return at < len(self._known) and state.digest not in self._known[at]

    def _drawing(self, original: Any) -> Any:
        loaders: dict[int, int] = {}

        @wraps(original)
        def draw(loader: Any) -> Any:
            batch = original(loader)
            with unseen():
                number = loaders.setdefault(id(loader), len(loaders) + 1)
                self.batches.append(
                    Batch(len(self.steps), f"loader {number}", _samples(batch), digest_of(batch), True)
                )
            return batch

        return draw

    def _beginning(self, original: Any) -> Any:
        @wraps(original)
        def backward(tensor: Tensor, *args: Any, **options: Any) -> Any:
            if not torch.compiler.is_compiling():
                with unseen():
                    self._losses.append((_line(), digest_of(tensor)))
            return original(tensor, *args, **options)

        return backward

    def _pinning(self, original: Any) -> Any:
        @wraps(original)
        def pin(tensor: Tensor, *args: Any, **options: Any) -> Any:
            if not sys._getframe(1).f_code.co_filename.startswith(TORCH):
                self.pinned[-1] += 1
            return original(tensor, *args, **options)

        return pin

    def _hashing(self, original: Any) -> Any:
        @wraps(original)
        def identity(tensor: Tensor) -> int:
            file = sys._getframe(1).f_code.co_filename
            if self.steps and file.startswith(self._root) and not isinstance(tensor, nn.Parameter):
                self._note("kept", "looks something up by a tensor itself, whose values may change meanwhile")
            return int(original(tensor))

        return identity

    def _enter(self, module: nn.Module, arguments: Any) -> None:
        depth = getattr(self._depth, "now", 0)
        self._depth.now = depth + 1
        if depth == 0 and next(module.parameters(), None) is not None:
            with unseen():
                given = Batch(
                    len(self.steps), _line(), _samples(arguments), digest_of(arguments), module.training
                )
                self.inputs.append(given)

    def _leave(self, _module: nn.Module, _arguments: Any, _output: Any) -> None:
        self._depth.now = max(getattr(self._depth, "now", 0) - 1, 0)

    def _count(self, operator: Any, args: tuple[Any, ...], options: Mapping[str, Any], place: Place) -> Any:
        self.operators[-1] += 1
        if threading.get_ident() != self._thread:
            self._note(
                "thread", "runs operators of the device in another thread, where their waits do not show"
            )
        self._note_streams(args)
        if _changes_values(operator, args):
            self._note_update(args[0])
        else:
            self._note_carried(operator, args, options)
        if operator is _COPY and self.buffers.is_late(args, options):
            return self.buffers.copied_later(args)
        if self._runner is not None:
            return self._runner(operator, args, options, place)
        return operator(*args, **options)

    def _note_streams(self, args: tuple[Any, ...]) -> None:
        """Whether the stream has waited for what made its inputs; in a backward pass torch sees to it."""
        work = streams.launched()
        if torch._C._current_autograd_node() is None:
            for tensor in tensors_in(args):
                made = getattr(tensor.untyped_storage(), "_tbprof_made", work)
                if not streams.is_over(made):
                    self._note(
                        "stream", "uses a tensor that another stream makes, which it has not waited for"
                    )

    def _note_made(self, storage: Any, place: Place) -> None:
        if place.is_device:
            storage._tbprof_made = streams.launched()

    def _note_update(self, target: Any) -> None:
        for tensor in tensors_in((target,)):
            storage = tensor.untyped_storage()
            storage._tbprof_made = streams.launched()
            first, _ = getattr(storage, "_tbprof_updates", (len(self.steps), 0))
            storage._tbprof_updates = first, len(self.steps)

    def _note_carried(self, operator: Any, args: tuple[Any, ...], options: Mapping[str, Any]) -> None:
        """What is written whole in one step and read in a later one lasts from step to step, too."""
        is_copy = operator is _COPY
        for tensor in tensors_in(args[1:] if is_copy else args):
            storage = tensor.untyped_storage()
            written = getattr(storage, "_tbprof_written", len(self.steps))
            if written < len(self.steps):
                storage._tbprof_updates = written, len(self.steps)
        # A batch that is copied into its place is the loader's, and not the program's to keep.
        is_upload = is_copy and not _is_on_device(args[1])
        for tensor in tensors_in(() if is_upload else (args[0] if is_copy else options.get("out"),)):
            if _is_on_device(tensor):
                tensor.untyped_storage()._tbprof_written = len(self.steps)

    def _note(self, kind: str, what: str) -> None:
        line = _line()
        self.faults.setdefault(Fault(kind, line, f"{line or 'a line of a library'} {what}"))


def _is_on_device(value: Any) -> bool:
    place = place_of(value) if isinstance(value, Tensor) else None
    return place is not None and place.is_device


def tensors_in(values: Any) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            if value.layout is torch.strided:
                yield value
        elif isinstance(value, list | tuple):
            yield from tensors_in(value)


_COPY = torch.ops.aten.copy_.default
_OVERWRITES = ("zero_", "fill_", "normal_", "uniform_", "random_", "bernoulli_", "set_", "resize_", "detach_")


def _changes_values(operator: Any, args: tuple[Any, ...]) -> bool:
    """Whether it leaves in a tensor some of what was there."""
    name = operator.__name__.partition(".")[0]
    if not name.endswith("_") or name.endswith("__") or name in _OVERWRITES or not args:
        return False
    if name != "copy_":
        return True
    return bool(args[0].nbytes < args[0].untyped_storage().nbytes())


def _rest(state: TensorState) -> tuple[Any, ...]:
    return state.shape, state.dtype, state.digest, state.place, state.at


def _line() -> str:
    where = origin(sys._getframe(1))
    return f"{where.source.file}:{where.source.line}" if where else ""


def _setting(value: Any) -> str:
    if isinstance(value, Tensor):
        return repr(number_of(value)) if value.numel() == 1 else digest_of(value)
    if isinstance(value, list | tuple):
        return f"({', '.join(map(_setting, value))})"
    return repr(value) if isinstance(value, str | int | float | None) else digest_of(value)


def _samples(value: Any) -> int:
    """The first size of the first tensor; 0 where there is none."""
    if isinstance(value, Tensor):
        return int(value.shape[0]) if value.dim() else 1
    if isinstance(value, dict | list | tuple):
        found = (_samples(each) for each in (value.values() if isinstance(value, dict) else value))
        return next((each for each in found if each), 0)
    return 0


def in_another_order() -> Callable[..., Any]:
    """A runner of operators that adds up from the other end: the same sums, rounded otherwise."""
    aten = torch.ops.aten

    def run(operator: Any, args: tuple[Any, ...], options: Mapping[str, Any], _place: Place) -> Any:
        if operator in (aten.mm.default, aten.bmm.default):
            args = (args[0].flip(-1), args[1].flip(-2))
        elif operator is aten.addmm.default:
            args = (args[0], args[1].flip(-1), args[2].flip(-2))
        elif operator in (aten.sum.dim_IntList, aten.mean.dim) and args[0].dim():
            dims = args[1] or range(args[0].dim())
            args = (args[0].flip(tuple(dims)), *args[1:])
        elif operator in (aten.sum.default, aten.mean.default) and args[0].dim():
            args = (args[0].flip(tuple(range(args[0].dim()))), *args[1:])
        elif operator is aten.convolution.default and args[8] == 1:
            args = (args[0].flip(1), args[1].flip(1), *args[2:])
        return operator(*args, **options)

    return run
