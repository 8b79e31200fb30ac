"""Marks around the calls of modules, in the steps of a window alone.

A mark is a range `nn.Module: GPT.layers.3.up (Linear)`, by its path from the outermost module that is called.
Torch's own hooks for all modules set it; they are there from a window's warm-up to its end. Dynamo would
trace into such hooks and compile anew where they come and go, so that there are none in a program that has
compiled code, and none from the moment on at which it compiles some.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from threading import get_ident
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

from tbprof.hook.safety.compiled_code import CompilationWatch, frame_switch, has_compiled_code
from tbprof.hook.safety.missing_facts import MissingFacts
from tbprof.hook.safety.signal_handlers import let_through

__all__ = ["ModuleMarks"]

_PREFIX = "nn.Module: "
_COMPILED = "OptimizedModule"
"""What `torch.compile` makes of a module: called, it is about to compile."""

_open_mark = torch.autograd._record_function_with_args_enter
_close_mark = torch.autograd._record_function_with_args_exit
"""As `torch.profiler.record_function`, at a quarter of its cost: these call no operator."""

_left_open: list[object] = []
"""Marks whose recording is over: to close one then, as dropping it does, would write to freed memory."""

_Open = list[tuple[nn.Module, object]]


class ModuleMarks:
    """One window's. A fault ends the marks and nothing else."""

    def __init__(self, missing: MissingFacts) -> None:
        self._missing = missing
        self._names = _Names()
        self._open: dict[int, _Open] = {}
        """By thread the modules that are being called, the innermost last."""
        self._remove: list[Callable[[], None]] = []
        self._switch: Callable[[Any], Any] | None = None
        """Dynamo's, once it has been loaded."""
        self._compilations = CompilationWatch(self._make_way)

    def begin(self) -> None:
        """Set marks from now on; while nothing is recorded they only learn the modules' names."""
        if has_compiled_code():
            return
        self._look_for_dynamo()
        self._remove = [
            register_module_forward_pre_hook(self._before).remove,
            register_module_forward_hook(self._after, always_call=True).remove,
        ]

    def end(self, *, is_recorded: bool = True) -> None:
        """Set no more marks, and close those of this thread, unless their recording is over."""
        self._compilations.stop()
        self._make_way(closes=is_recorded)
        for marks in self._open.values():
            _left_open.extend(mark for _, mark in marks)
        self._open.clear()

    def _make_way(self, *, closes: bool = True) -> None:
        """Nobody returns to what is open on this thread, and another thread's can't be closed from here."""
        while self._remove:
            self._remove.pop()()
        marks = self._open.pop(get_ident(), []) if closes else []
        while marks:
            _close_mark(marks.pop()[1])

    def _before(self, module: nn.Module, _: Any) -> None:
        switch = self._switch
        looks_on = None if switch is None else switch(None)
        try:
            if looks_on is not None:
                self._make_way()
                return
            marks, known = self._open.get(get_ident()), self._names.known.get(id(module))
            # All but the first calls end here: each further function would be felt.
            if marks and known is not None and known.module() is module and known.mark is not None:
                marks.append((module, _open_mark(known.mark)))
            else:
                self._enter(module)
        except Exception as fault:  # noqa: BLE001 - the border to the user's training
            let_through(fault)
            self._fail(fault)
        finally:
            if switch is not None:
                switch(looks_on)

    def _after(self, module: nn.Module, _: Any, __: Any) -> None:
        try:
            marks = self._open.get(get_ident())
            if marks and marks[-1][0] is module:
                _close_mark(marks.pop()[1])
            elif marks:
                self._leave(module, marks)
        except Exception as fault:  # noqa: BLE001 - the border to the user's training
            let_through(fault)
            self._fail(fault)

    def _look_for_dynamo(self) -> None:
        if self._switch is None:
            self._switch = frame_switch(ModuleMarks._before, ModuleMarks._after)
        self._compilations.look()

    def _enter(self, module: nn.Module) -> None:
        thread = get_ident()
        marks = self._open.get(thread)
        if not marks:
            # Of outermost calls alone: it costs as much as a mark.
            self._look_for_dynamo()
            marks = self._open.setdefault(thread, [])
        name = self._names.of(module, marks[-1][0] if marks else None)
        if name is None:
            self._make_way()
        else:
            marks.append((module, _open_mark(name)))

    def _leave(self, module: nn.Module, marks: _Open) -> None:
        # A call that began before the marks has none; one that Ctrl-C ended has left its own.
        if any(each is module for each, _ in marks):
            innermost = None
            while innermost is not module:
                innermost, mark = marks.pop()
                _close_mark(mark)

    def _fail(self, fault: Exception) -> None:
        self._make_way()
        self._missing.note("module_marks", fault)


class _Known(NamedTuple):
    module: weakref.ref[nn.Module]
    path: str
    mark: str | None
    """None of a module that is about to compile when it is called."""


class _Names:
    """What modules are called, each looked up once."""

    def __init__(self) -> None:
        self.known: dict[int, _Known] = {}
        """By identity, which another module may have later."""
        self._outermost: dict[str, weakref.ref[nn.Module]] = {}

    def of(self, module: nn.Module, around: nn.Module | None) -> str | None:
        """The mark of a module that is called, by the one around it; None of one that is about to compile."""
        known = self.known.get(id(module))
        if known is None or known.module() is not module:
            self._learn(module, around)
            known = self.known[id(module)]
        return known.mark

    def _learn(self, module: nn.Module, around: nn.Module | None) -> None:
        kind = type(module).__name__
        if around is None:
            root = self._outermost_name(module, kind)
        else:
            root = f"{self.known[id(around)].path}.{kind}"
        for path, inner in module.named_modules():
            whole = f"{root}.{path}" if path else root
            self.known[id(inner)] = _Known(weakref.ref(inner), whole, _mark(whole, type(inner).__name__))

    def _outermost_name(self, module: nn.Module, kind: str) -> str:
        number, name = 0, kind
        while (taken := self._outermost.get(name)) is not None and taken() not in (None, module):
            number += 1
            name = f"{kind}_{number}"
        self._outermost[name] = weakref.ref(module)
        return name


def _mark(path: str, class_name: str) -> str | None:
    if class_name == _COMPILED:
        return None
    # Torch takes UTF-8 alone.
    return f"{_PREFIX}{path} ({class_name})".encode("utf-8", "backslashreplace").decode()
