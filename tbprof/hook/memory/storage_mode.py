"""Sees every operator of a step, and follows the storages of its tensors until they die.

The mode lies below autograd and sees a backward pass as it sees the forward. A storage is known by an object
of ours that it carries and that dies with it. Operators run as they do without it, and their exceptions pass.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from types import FrameType
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from tbprof.hook.audit.call_log import own_frame, user_frame
from tbprof.hook.memory.blocks import Block, Log
from tbprof.hook.safety.compiled_code import frame_switch
from tbprof.hook.safety.guard import let_through
from tbprof.hook.safety.modes import leave_when_outside, unseen_by_modes
from tbprof.hook.safety.program_values import (
    device_of,
    is_a,
    is_plain_tensor,
    is_tensor,
    items_of,
    storage_of,
)

_LIFE = "_tbprof_step_life"


class _Life:
    """Lives as long as the storage that carries it."""

    __slots__ = ("block", "mode")

    def __init__(self, mode: StorageMode, block: Block) -> None:
        self.mode, self.block = mode, block

    def __del__(self) -> None:
        self.mode.log.free(self.block, self.mode.phase())


class StorageMode(TorchDispatchMode):  # type: ignore[misc]
    """The mode of one thread, and of the threads on which its backward passes run."""

    supports_higher_order_operators = True

    def __init__(self) -> None:
        super().__init__()
        self.is_entered = False
        """Whether it is to be on the stack of its thread."""
        self.log = Log()
        self.modules: list[str] = []
        """The modules that are being called, the innermost last."""
        self.is_optimizing = False
        self.fault: Exception | None = None
        self._switch: Callable[[Any], Any] | None = None
        """Dynamo's, once it has been loaded."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Torch would import its compiler for that, which takes seconds.
        return False

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            is_compiled = self._is_compiled()
            result = _called(func, args, kwargs or {})
            if self.log.is_open and not is_compiled:
                self._note_unseen(args, kwargs, result)
            return result
        finally:
            if not self.is_entered:
                # Left while it ran, when it was on no stack.
                leave_when_outside(self)

    def _is_compiled(self) -> bool:
        """Whether Dynamo gets to see what is called from here: it would compile our own code."""
        if self._switch is None and "torch._dynamo" in sys.modules:
            self._switch = frame_switch(StorageMode.__torch_dispatch__, StorageMode._is_compiled)
        if self._switch is None:
            return False
        looks_on = self._switch(None)
        self._switch(looks_on)
        return looks_on is not None

    def phase(self) -> str:
        """The phase of what happens now, on this thread."""
        # A number, and not the node that is evaluated: that would become a Python object where a storage
        # ends, in a search for garbage or while torch takes the graph apart.
        if torch._C._current_graph_task_id() != -1:
            return "backward"
        if self.is_optimizing and not self.modules:
            return "optimizer"
        return "before" if self.log.first_call is None else "forward"

    def see(self, tensor: Tensor, kind: str, module: str = "") -> None:
        """A tensor is known to be something; what it already is known to be, it stays."""
        for part in _plain(tensor):
            block = block_of(part) or self._add(part, "", "other", is_made=False)
            if block is not None and block.kind in ("", "other"):
                block.kind = kind
                block.module = module or block.module

    def give(self, given: Any) -> None:
        """An outermost module is called with it: what was made for that, and by no module, is an input.

        Of several batches in a step the first alone was there before all modules.
        """
        for tensor in _tensors(given):
            block = block_of(tensor)
            if block is not None and block.is_made and not block.module and tensor.grad_fn is None:
                block.kind = block.kind or "inputs"

    def _note_unseen(self, args: Any, kwargs: Any, result: Any) -> None:
        """An operator has run; what is asked for this note is no operator that a mode of the program sees."""
        try:
            with unseen_by_modes():
                self._note(args, kwargs, result)
        except Exception as fault:  # noqa: BLE001 - the border to the user's training
            let_through(fault)
            self.fault, self.log.is_open = fault, False

    def _note(self, args: Any, kwargs: Any, result: Any) -> None:
        phase = self.phase()
        for tensor in _tensors((args, kwargs)):
            block = self._followed(tensor) or self._add(tensor, phase, "", is_made=False)
            if block is not None and phase == "backward":
                block.is_used_in_backward = True
            elif block is not None and block.kind == "other" and phase == "forward" and self.modules:
                # A batch may have been fetched before the step.
                block.kind = "inputs"
        for tensor in _tensors(result):
            if self._followed(tensor) is None:
                self._add(tensor, phase, "", is_made=True)

    def _followed(self, tensor: Tensor) -> Block | None:
        """A storage that became larger or smaller is another block of the same kind."""
        block = block_of(tensor)
        if block is not None and block.bytes != storage_of(tensor).nbytes():
            phase = self.phase()
            self.log.free(block, phase)
            return self._add(tensor, phase, block.kind, is_made=True)
        return block

    def _add(self, tensor: Tensor, phase: str, kind: str, *, is_made: bool) -> Block | None:
        storage = storage_of(tensor)
        size = storage.nbytes()
        if not size or device_of(tensor).type == "meta":
            return None
        block = Block(size, str(device_of(tensor)), phase, kind=kind, is_made=is_made)
        if is_made:
            block.line = _line(sys._getframe(1))
            block.module = self.modules[-1] if self.modules and phase == "forward" else ""
        self.log.add(block)
        setattr(storage, _LIFE, _Life(self, block))
        return block


def _called(func: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Call an operator with what it was called with.

    A number that torch had made a tensor of comes as a number, which few operators take. TorchScript has such
    constants, and calls others with them where it first runs a graph.
    """
    try:
        return func(*args, **kwargs)
    except RuntimeError as error:
        if type(error) is not RuntimeError or _NO_TENSOR not in str(error):
            raise
    wanted = [argument.type for argument in func._schema.arguments]  # type: ignore[attr-defined]
    return func(*map(_as_tensor, args, wanted), **kwargs)


_NO_TENSOR = "Expected a value of type 'Tensor'"


def _as_tensor(value: Any, wanted: Any) -> Any:
    if type(value) not in (bool, int, float, complex) or not isinstance(wanted, torch._C.TensorType):
        return value
    return torch.scalar_tensor(value, dtype=_TYPES[type(value)], device="cpu")


_TYPES = {bool: torch.bool, int: torch.int64, float: torch.float64, complex: torch.complex128}


def block_of(tensor: Tensor) -> Block | None:
    """None for a storage that is not followed, or was in an earlier step."""
    life = getattr(storage_of(tensor), _LIFE, None)
    return life.block if life is not None and life.mode.log.is_open else None


def _line(frame: FrameType | None) -> str:
    # Outside of an operator's own frames there is always one, except in a thread of a backward pass.
    users = own_frame(frame) or user_frame(frame)
    if users is None:
        return ""
    return f"{users.f_code.co_filename}({users.f_lineno}): {users.f_code.co_name}"


def _tensors(value: Any) -> Iterator[Tensor]:
    if is_tensor(value):
        yield from _plain(value)
    elif is_a(value, dict, list, tuple):
        for inner in items_of(value):
            yield from _tensors(inner)


def _plain(tensor: Tensor) -> Iterator[Tensor]:
    """The tensors with a storage: one of torch's classes for wrappers is made of others."""
    if is_plain_tensor(tensor):
        if tensor.layout == torch.strided and not torch._C._functorch.is_functorch_wrapped_tensor(tensor):
            yield tensor
        elif tensor.layout == torch.sparse_coo:
            yield from (tensor._indices(), tensor._values())
    elif type(tensor).__module__.startswith("torch.") and hasattr(type(tensor), "__tensor_flatten__"):
        for name in tensor.__tensor_flatten__()[0]:
            yield from _plain(getattr(tensor, name))
