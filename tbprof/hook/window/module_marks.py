"""Marks around the calls of modules, in the steps of a window alone.

A mark is a range `nn.Module: GPT.layers.3.up (Linear)`, by its path from the outermost module that is called.
From a window's warm-up to its end, `nn.Module.__call__` is ours: torch's hooks for all modules would take
every call through the slow half of `_call_impl`, which costs more than the mark. Dynamo would trace into it
and compile again where it comes and goes, so that there are no marks in a program that has compiled code, and
none from the moment on at which it compiles some.
"""

from __future__ import annotations

import logging
import sys
import weakref
from collections.abc import Callable
from functools import wraps
from threading import get_ident
from types import CodeType, MethodType
from typing import Any, NamedTuple

import torch
from torch import nn

from tbprof.hook.safety.compiled_code import CompilationWatch, frame_switch, has_compiled_code
from tbprof.hook.safety.guard import MissingFacts, drop_own_frames, let_through
from tbprof.hook.safety.program_values import class_name, named_modules
from tbprof.hook.window.open_ranges import never_end

logger = logging.getLogger("tbprof")

_PREFIX = "nn.Module: "
_COMPILED = "OptimizedModule"
"""What `torch.compile` makes of a module: called, it is about to compile."""

_Open = list[tuple[nn.Module, Any]]
"""Modules that are being called, the innermost last, each with its mark: None where nothing was recorded."""

MOST_WINDOWS = 100
"""The most windows of a process: since Python 3.13 a class that was changed a thousand times stays slow to
look up."""

DEEPEST = 48
"""Calls within each other that are marked. Each mark is a frame, of which Python allows a thousand: a network
that calls itself very often could use them up."""

_windows = [0]
"""How many windows of this process have begun with marks, or would have."""

_is_recording: Callable[[], bool] = torch.autograd._profiler_enabled

_has_said: list[None] = []
"""Whether it was said that steps end inside modules."""


class ModuleMarks:
    """One window's. A fault ends the marks and nothing else."""

    def __init__(self, missing: MissingFacts, *, of_window: bool = True) -> None:
        """What is recorded besides a window, such as its inputs, is marked if the latest window was."""
        self._missing = missing
        self._of_window = of_window
        self._names = _Names()
        self._open: dict[int, _Open] = {}
        """The open calls by thread."""
        # Torch's own for operators, at a tenth of the cost of its ranges; the trace has it among those.
        self._mark: Callable[[str], Any]
        self._is_on = False
        self._is_in_place = False
        """Whether `nn.Module.__call__` is ours."""
        self._original: Callable[..., Any] = nn.Module.__call__
        self._ours = _marking(self, self._original)
        self._switch: Callable[[Any], Any] | None = None
        """Dynamo's, once it has been loaded."""
        self._compilations = CompilationWatch(self.make_way)

    def begin(self) -> None:
        """Set marks from now on; while nothing is recorded they only learn the modules' names."""
        _windows[0] += self._of_window
        if has_compiled_code() or _windows[0] > MOST_WINDOWS:
            return
        # Not at import: this is torch's own, and may be gone in another version.
        self._mark = torch._C._profiler._RecordFunctionFast
        self._look_for_dynamo()
        self._is_in_place = True
        nn.Module.__call__ = self._ours
        self._is_on = True

    def end(self, *, is_recorded: bool = True) -> None:
        """Set no more marks, and put torch's function back.

        That takes 0.2 ms, as Python goes through all classes of modules: `close` comes before a recording's
        end, and this after it.
        """
        self.close(is_recorded=is_recorded)
        self._put_back()

    def close(self, *, is_recorded: bool = True) -> None:
        """Set no more marks, and close those of this thread, unless their recording is over."""
        if self._is_in_place:
            # Who compiled a module meanwhile holds our function, whose frame is to be let pass.
            self._look_for_dynamo()
        self._compilations.stop()
        if self._open.get(get_ident()):
            _say_that_steps_end_inside()
        self._is_on = False
        if is_recorded:
            self._close_open()
        for marks in self._open.values():
            for _, mark in marks:
                never_end(mark)
            # Its calls are not over yet, and are not to close them.
            marks.clear()
        self._open.clear()

    def enter(self, module: nn.Module) -> _Open | None:
        """A module is called: open its mark, and give what `leave` closes it by."""
        switch = self._switch
        looks_on = None if switch is None else switch(None)
        try:
            if not self._is_on:
                if not self._is_in_place:
                    # Another tool, as torch.fx while it traces, has put back what it found.
                    self._put_back()
                return None
            if looks_on is not None:
                self.make_way()
                return None
            marks, known = self._open.get(get_ident()), self._names.known.get(id(module))
            # All but the first calls end here: each further function would be felt.
            if marks and known is not None and known.module() is module and known.mark is not None:
                if len(marks) >= DEEPEST:
                    self._put_back()
                    return None
                marks.append((module, self._opened(known.mark)))
                return marks
            return self._enter_first(module)
        except Exception as fault:  # noqa: BLE001 - the border to the user's training
            let_through(fault)
            self._fail(fault)
            return None
        finally:
            if switch is not None:
                switch(looks_on)

    def leave(self, module: nn.Module, marks: _Open) -> None:
        """End a call."""
        try:
            # The marks may have ended meanwhile, and Ctrl-C may have left some of the calls in it open.
            while marks:
                innermost, mark = marks.pop()
                if mark is not None:
                    _close(mark)
                elif _is_recording():
                    # It began while this module was being called.
                    _say_that_steps_end_inside()
                if innermost is module:
                    break
        except Exception as fault:  # noqa: BLE001 - the border to the user's training
            let_through(fault)
            self._fail(fault)

    def make_way(self) -> None:
        """Nobody returns to what is open on this thread, and another thread's can't be closed from here."""
        self._put_back()
        self._close_open()

    def _put_back(self) -> None:
        if nn.Module.__call__ is self._ours:
            # Where another tool has put its own over ours, that stays, and ours does nothing more.
            nn.Module.__call__ = self._original
        self._is_in_place = self._is_on = False

    def _close_open(self) -> None:
        marks = self._open.pop(get_ident(), [])
        while marks:
            mark = marks.pop()[1]
            if mark is not None:
                _close(mark)

    def _look_for_dynamo(self) -> None:
        if self._switch is None:
            self._switch = frame_switch(self._ours, ModuleMarks.enter, ModuleMarks.leave)
        self._compilations.look()

    def _enter_first(self, module: nn.Module) -> _Open | None:
        thread = get_ident()
        marks = self._open.get(thread)
        if not marks:
            # Of outermost calls alone: it costs as much as a mark.
            self._look_for_dynamo()
            marks = self._open.setdefault(thread, [])
        name = self._names.of(module, marks[-1][0] if marks else None)
        if name is None:
            self.make_way()
            return None
        marks.append((module, self._opened(name)))
        return marks

    def _opened(self, name: str) -> Any:
        if not _is_recording():
            return None
        mark = self._mark(name)
        mark.__enter__()
        return mark

    def _fail(self, fault: Exception) -> None:
        self.make_way()
        self._missing.note("module_marks", fault)


def _marking(marks: ModuleMarks, original: Callable[..., Any]) -> Callable[..., Any]:
    """What stands for `nn.Module.__call__`: in place of torch's own frame, or around another tool's."""
    enter, leave = marks.enter, marks.leave
    is_torch_s = original is nn.Module._wrapped_call_impl

    # torch's tracer of Python reads a local of that name out of its frame, and crashes without one.
    @wraps(original)
    def __call__(self: nn.Module, *args: Any, **kwargs: Any) -> Any:  # noqa: N807 - it stands for one
        opened = enter(self)
        if is_torch_s:
            compiled = self._compiled_call_impl
            call = self._call_impl if compiled is None else compiled
        else:
            call = MethodType(original, self)
        if opened is None:
            return call(*args, **kwargs)
        try:
            return call(*args, **kwargs)
        except BaseException as error:
            drop_own_frames(error)
            raise
        finally:
            leave(self, opened)

    if is_torch_s:
        function: Any = __call__
        function.__code__ = _placed_at_last_line(function.__code__, original.__code__)
    # Where it is found, for who pickles it.
    __call__.__qualname__ = "Module.__call__"
    return __call__


def _placed_at_last_line(code: CodeType, shown: CodeType) -> CodeType:
    """The same code, which passes for the last line of another: warnings count frames, and name lines."""
    line = max(line for _, _, line in shown.co_lines() if line is not None)
    units = len(code.co_code) // 2
    # One line for all, by PEP 626 or by the table of Python 3.11: no columns, no difference in lines.
    table = (
        b"".join(bytes((min(254, 2 * units - at), 0)) for at in range(0, 2 * units, 254))
        if sys.version_info < (3, 11)
        else b"".join(bytes((0xE8 | (min(8, units - at) - 1), 0)) for at in range(0, units, 8))
    )
    changed: dict[str, Any] = {"co_firstlineno": line, "co_linetable": table}
    for name in ("co_filename", "co_name", "co_qualname"):
        if hasattr(shown, name):
            changed[name] = getattr(shown, name)
    return code.replace(**changed)


class _Known(NamedTuple):
    module: weakref.ref[nn.Module]
    path: str
    mark: str | None
    """None of a module that is about to compile when it is called."""


class _Names:
    """What modules are called, each looked up once."""

    def __init__(self) -> None:
        self.known: dict[int, _Known] = {}
        """The modules by identity, which another module may have later."""
        self._outermost: dict[str, weakref.ref[nn.Module]] = {}

    def of(self, module: nn.Module, around: nn.Module | None) -> str | None:
        """The mark of a module that is called, by the one around it; None of one that is about to compile."""
        known = self.known.get(id(module))
        if known is None or known.module() is not module:
            self._learn(module, around)
            known = self.known[id(module)]
        return known.mark

    def _learn(self, module: nn.Module, around: nn.Module | None) -> None:
        kind = class_name(module)
        if around is None:
            root = self._outermost_name(module, kind)
        else:
            root = f"{self.known[id(around)].path}.{kind}"
        for path, inner in named_modules(module):
            whole = f"{root}.{path}" if path else root
            self.known[id(inner)] = _Known(weakref.ref(inner), whole, _mark(whole, class_name(inner)))

    def _outermost_name(self, module: nn.Module, kind: str) -> str:
        number, name = 0, kind
        while (taken := self._outermost.get(name)) is not None:
            # Not by `in`, which would ask the module's own `__eq__`.
            if (other := taken()) is None or other is module:
                break
            number += 1
            name = f"{kind}_{number}"
        self._outermost[name] = weakref.ref(module)
        return name


def _close(mark: Any) -> None:
    """End a mark; where that fails, its recording is over, and it is kept."""
    try:
        mark.__exit__(None, None, None)
    except Exception as fault:  # noqa: BLE001 - the border to the user's training
        let_through(fault)
        never_end(mark)


def _say_that_steps_end_inside() -> None:
    if not _has_said:
        _has_said.append(None)
        logger.warning(
            "step() is called while a module is called, as in its forward(): that module, and those"
            " around it, have no mark where a window begins or ends."
        )


def _mark(path: str, class_name: str) -> str | None:
    if class_name == _COMPILED:
        return None
    # Torch takes UTF-8 alone.
    return f"{_PREFIX}{path} ({class_name})".encode("utf-8", "backslashreplace").decode()
