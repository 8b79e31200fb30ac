"""Follows the storages of all tensors of a step until they end.

A storage is known by its address in torch, and its end by a weak reference: nothing of that is seen at the
storage. The reference runs no code where the storage ends, in which what a signal handler raises would be
lost; what has ended is looked at with the next operator.

Autograd adds gradients in place where nobody else has them, and an object of Python that stands for a storage
counts as somebody. So what a backward pass makes is followed by its tensors, until none is left; where torch
keeps it as a gradient nevertheless, that is found at the parameter.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import FrameType
from typing import Any
from weakref import getweakrefs, ref

import torch
from torch import Tensor

from tbprof.hook.audit.call_log import own_frame, user_frame
from tbprof.hook.memory.blocks import Block, Log
from tbprof.hook.safety.compiled_code import frame_switch
from tbprof.hook.safety.guard import let_through
from tbprof.hook.safety.modes import unseen_by_modes
from tbprof.hook.safety.operators import relay
from tbprof.hook.safety.program_values import (
    device_of,
    is_a,
    is_plain_tensor,
    is_tensor,
    items_of,
    storage_of,
)


@dataclass(slots=True)
class _Life:
    """A storage as long as something of it is there."""

    address: int
    block: Block
    holders: int = 0


class _Holder(ref[Any]):
    """A storage, or one of its tensors."""

    __slots__ = ("life",)
    life: _Life


class StorageFollower:
    """Knows one thread, and the threads on which its backward passes run."""

    def __init__(self) -> None:
        self.log = Log()
        self.modules: list[str] = []
        """The modules that are being called, the innermost last."""
        self.is_optimizing = False
        self.fault: Exception | None = None
        self._lives: dict[int, _Life] = {}
        """Keyed by the address of the storage, which another one may have later."""
        self._left: dict[int, Block] = {}
        """What has no tensors left that are known."""
        self._holders: dict[int, _Holder] = {}
        """Keyed by their identity: two that are compared would compare what they hold."""
        self._ended: list[Any] = []
        self._latest_phase = "before"
        self._switch: Callable[[Any], Any] | None = None
        """Dynamo's, once it has been loaded."""

    def forget(self) -> None:
        """Follow nothing any more."""
        self.log = Log(is_open=False)
        for held in (self._lives, self._left, self._holders, self._ended):
            held.clear()

    def holds(self, *tensors: object) -> bool:
        """Whether one of them is followed by itself, and not by its storage."""
        return any(id(holder) in self._holders for one in tensors for holder in getweakrefs(one))

    def note(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Any) -> None:
        """An operator has run; what is asked for this note is no operator that a mode of the program sees."""
        if not self.log.is_open or self._is_compiled():
            return
        try:
            with unseen_by_modes():
                self._note(args, kwargs, result)
        except Exception as fault:  # noqa: BLE001 - the border to the user's training
            let_through(fault)
            self.fault, self.log.is_open = fault.with_traceback(None), False

    def _is_compiled(self) -> bool:
        """Whether Dynamo gets to see what is called from here: it would compile our own code."""
        if self._switch is None and "torch._dynamo" in sys.modules:
            self._switch = frame_switch(relay, StorageFollower.note, StorageFollower._is_compiled)
        if self._switch is None:
            return False
        looks_on = self._switch(None)
        self._switch(looks_on)
        return looks_on is not None

    def _phase(self) -> str:
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
            block = self.block_of(part) or self._found_again(part) or self._add(part, "", "other")
            if block is not None and block.kind in ("", "other"):
                block.kind = kind
                block.module = module or block.module

    def give(self, given: Any) -> None:
        """An outermost module is called with it: what was made for that, and by no module, is an input.

        Of several batches in a step the first alone was there before all modules.
        """
        for tensor in _tensors(given):
            block = self.block_of(tensor)
            if block is not None and block.is_made and not block.module and tensor.grad_fn is None:
                block.kind = block.kind or "inputs"

    def note_ends(self) -> None:
        """Look at the storages that have ended since the latest operator, in its phase."""
        with contextlib.suppress(IndexError):
            # Another thread of a backward pass may be the quicker one.
            while self._ended:
                self._end(self._ended.pop(0))

    def _end(self, holder: _Holder) -> None:
        self._holders.pop(id(holder), None)
        life = holder.life
        life.holders -= 1
        if not life.holders and self._lives.get(life.address) is life:
            self._left[life.address] = self._lives.pop(life.address).block
            self.log.free(life.block, self._latest_phase)

    def block_of(self, tensor: Tensor) -> Block | None:
        """None for a storage that is not followed."""
        self.note_ends()
        life = self._lives.get(_address(tensor))
        return None if life is None else life.block

    def _found_again(self, tensor: Tensor) -> Block | None:
        """The block of a gradient whose tensors autograd has replaced by one of its own."""
        block = self._left.pop(_address(tensor), None)
        if block is None or block.bytes != _bytes(tensor):
            return None
        block.freed, block.freed_phase = None, ""
        self._hold(tensor, _Life(_address(tensor), block))
        return block

    def _note(self, args: Any, kwargs: Any, result: Any) -> None:
        self.note_ends()
        phase = self._latest_phase = self._phase()
        for tensor in _tensors((args, kwargs)):
            block = self._in_its_size(tensor) or self._add(tensor, phase, "")
            if block is not None and phase == "backward":
                block.is_used_in_backward = True
            elif block is not None and block.kind == "other" and phase == "forward" and self.modules:
                # A batch may have been fetched before the step.
                block.kind = "inputs"
        for tensor in _tensors(result):
            if self._in_its_size(tensor) is None:
                self._add(tensor, phase, "", is_made=True)
            elif _is_of_gradients():
                self._hold(tensor, self._lives[_address(tensor)])

    def _in_its_size(self, tensor: Tensor) -> Block | None:
        """A storage that became larger or smaller is another block of the same kind."""
        block = self.block_of(tensor)
        if (
            block is None
            or block.bytes == (size := _bytes(tensor))
            or (_is_of_gradients() and block.bytes > size)
        ):
            return block
        self.log.free(block, self._latest_phase)
        return self._add(tensor, self._latest_phase, block.kind, is_made=True)

    def _add(self, tensor: Tensor, phase: str, kind: str, *, is_made: bool = False) -> Block | None:
        size = _bytes(tensor)
        if not size or device_of(tensor).type == "meta":
            return None
        block = Block(size, str(device_of(tensor)), phase, kind=kind, is_made=is_made)
        if is_made:
            block.line = _line(sys._getframe(1))
            block.module = self.modules[-1] if self.modules and phase == "forward" else ""
        self.log.add(block)
        self._hold(tensor, _Life(_address(tensor), block))
        return block

    def _hold(self, tensor: Tensor, life: _Life) -> None:
        """Follow it by its storage, or by one more of its tensors."""
        is_new = self._lives.get(life.address) is not life
        is_by_tensors = _is_of_gradients()
        if not is_new and not is_by_tensors:
            return
        self._lives[life.address] = life
        self._left.pop(life.address, None)
        holder = _Holder(tensor if is_by_tensors else storage_of(tensor), self._ended.append)
        holder.life = life
        life.holders += 1
        self._holders[id(holder)] = holder


def _is_of_gradients() -> bool:
    """Whether what runs is a backward pass that nobody differentiates, which adds in place."""
    return torch._C._current_graph_task_id() != -1 and not torch.is_grad_enabled()


def _address(tensor: Tensor) -> int:
    address: int = torch._C._storage_address(tensor)
    return address


def _bytes(tensor: Tensor) -> int:
    """The bytes of its storage; of a gradient, whose storage is to have no object, up to the last element."""
    if not _is_of_gradients():
        return int(storage_of(tensor).nbytes())
    if not tensor.numel():
        return 0
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
    return int((tensor.storage_offset() + last + 1) * tensor.element_size())


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
