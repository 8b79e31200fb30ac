"""Marks around the calls of modules, in the steps of a window alone.

A mark is a range `nn.Module: GPT.layers.3.up (Linear)`, by its path from the outermost module that is called.
Torch's own hooks for all modules set it; they are there from a window's warm-up to its end. Dynamo would
trace into such hooks and compile anew where they come and go, so that there are none in a program that has
compiled code, and none from the moment on at which it compiles some.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

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
        marks = self._open.pop(threading.get_ident(), []) if closes else []
        while marks:
            _close_mark(marks.pop()[1])

    def _before(self, module: nn.Module, _: Any) -> None:
        switch = self._switch
        looks_on = None if switch is None else switch(None)
        try:
            if looks_on is None:
                self._enter(module)
            else:
                self._make_way()
        except Exception as fault:  # noqa: BLE001 - the border to the user's training
            let_through(fault)
            self._fail(fault)
        finally:
            if switch is not None:
                switch(looks_on)

    def _after(self, module: nn.Module, _: Any, __: Any) -> None:
        try:
            self._leave(module)
        except Exception as fault:  # noqa: BLE001 - the border to the user's training
            let_through(fault)
            self._fail(fault)

    def _look_for_dynamo(self) -> None:
        if self._switch is None:
            self._switch = frame_switch(ModuleMarks._before, ModuleMarks._after)
        self._compilations.look()

    def _enter(self, module: nn.Module) -> None:
        if type(module).__name__ == _COMPILED:
            self._make_way()
            return
        self._look_for_dynamo()
        thread = threading.get_ident()
        marks = self._open.get(thread)
        if marks is None:
            marks = self._open[thread] = []
        name = self._names.of(module, marks[-1][0] if marks else None)
        marks.append((module, _open_mark(name)))

    def _leave(self, module: nn.Module) -> None:
        marks = self._open.get(threading.get_ident())
        # A call that began before the marks has none; one that Ctrl-C ended has left its own.
        if marks and (marks[-1][0] is module or any(each is module for each, _ in marks)):
            innermost = None
            while innermost is not module:
                innermost, mark = marks.pop()
                _close_mark(mark)

    def _fail(self, fault: Exception) -> None:
        self._make_way()
        self._missing.note("module_marks", fault)


class _Names:
    """What modules are called, each looked up once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[nn.Module], str, str]] = {}
        """By identity, which another module may have later: itself, its path and its mark."""
        self._outermost: dict[str, weakref.ref[nn.Module]] = {}

    def of(self, module: nn.Module, around: nn.Module | None) -> str:
        """The mark of a module that is called, by the one around it."""
        known = self._known.get(id(module))
        if known is None or known[0]() is not module:
            self._learn(module, around)
            known = self._known[id(module)]
        return known[2]

    def _learn(self, module: nn.Module, around: nn.Module | None) -> None:
        kind = type(module).__name__
        if around is None:
            root = self._outermost_name(module, kind)
        else:
            root = f"{self._known[id(around)][1]}.{kind}"
        for path, inner in module.named_modules():
            whole = f"{root}.{path}" if path else root
            mark = f"{_PREFIX}{whole} ({type(inner).__name__})"
            # Torch takes UTF-8 alone.
            mark = mark.encode("utf-8", "backslashreplace").decode()
            self._known[id(inner)] = (weakref.ref(inner), whole, mark)

    def _outermost_name(self, module: nn.Module, kind: str) -> str:
        number, name = 0, kind
        while (taken := self._outermost.get(name)) is not None and taken() not in (None, module):
            number += 1
            name = f"{kind}_{number}"
        self._outermost[name] = weakref.ref(module)
        return name
