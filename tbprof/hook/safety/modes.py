"""The modes that the hook has on torch's stacks: how they are entered, left, and kept out of sight.

Torch's own modes leave by popping whatever is on top. One of the program's that is entered before ours and
left after it would take ours away and stay itself, so ours goes to the bottom; only the context of
`torch.set_default_device` must be below it, since torch asserts that.

While a mode of ours runs, torch has it off the stack, and puts it back when it returns. One that is to be
left then, by a signal handler for instance, is left once the main thread is outside of it. So is one that a
handler is to leave which interrupts torch's own Python: that may have seen a mode, and be about to call it.

A function mode makes `torch.overrides.has_torch_function` true of plain tensors, and who asks that may
compute something else: `nn.TransformerEncoder` leaves its fast path. So while a mode of ours is entered, who
asks gets the answer that holds without it. Torch's own functions ask in order to call it, and still see it.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import sys
import threading
from _thread import start_new_thread
from collections.abc import Callable, Iterator
from time import monotonic, sleep
from types import CodeType, FrameType, ModuleType
from typing import Any

import torch
from torch.jit._builtins import _register_builtin
from torch.overrides import _pop_mode, _push_mode

from tbprof.hook.safety.guard import codes_of_handlers, let_through

_HOOK = os.path.dirname(os.path.dirname(__file__)) + os.sep  # noqa: PTH120 - as Python spells it
_TORCH = os.path.dirname(torch.__file__) + os.sep  # noqa: PTH120 - as Python spells it
_HANDLERS = ("__torch_function__", "__torch_dispatch__")
_RETRY_S, _LONGEST_RETRY_S = 0.001, 0.1
_MAY_COME_BACK_S = 0.1

_length, _mode_at = torch._C._len_torch_function_stack, torch._C._get_function_stack_at
hidden: list[Any] = []
"""Function modes of ours that are entered, on whatever thread."""
_waiting: list[tuple[Any, float]] = []
"""Modes of the main thread that are to be left, each with the time until which torch may put it back."""
_caller: list[None] = []
"""Not empty while a thread asks for that."""


def enter_function_mode(mode: Any) -> None:
    """Make `mode` active on this thread, below every other one, and hide it from who asks for modes."""
    modes = function_modes()
    default_device = getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None)
    below = [other for other in modes if other is default_device]
    above = [other for other in modes if other is not default_device]
    mode.is_entered = True
    _hide(mode)
    _replace_function_modes([*below, mode, *above])


def leave(mode: Any) -> None:
    """Take `mode` away, wherever it stands, as soon as that can be done; the order of the others stays."""
    mode.is_entered = False
    if not _is_left(mode):
        leave_when_outside(mode)


def leave_when_outside(mode: Any) -> None:
    """Leave a mode once the main thread is outside of it; on another thread it stays, and lets all pass.

    Until then it is out of sight, also where it was left while it ran and torch has it back: it is left for
    good by the first who asks for modes.
    """
    _hide(mode)
    is_waiting = any(other is mode for other, _ in _waiting)
    if is_waiting or threading.current_thread() is not threading.main_thread():
        return
    _waiting.append((mode, monotonic() + _MAY_COME_BACK_S))
    if not _caller:
        _caller.append(None)
        # At the end of Python there are no threads any more, and no need.
        with contextlib.suppress(RuntimeError):
            start_new_thread(_call_until_left, ())


def runs_in_mode_of_program() -> bool:
    """Whether the program's own `__torch_function__` or `__torch_dispatch__` is running on this thread.

    It may have been called out of anything of torch's, such as the profiler's own look at a module.
    """
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        code = frame.f_code
        if code.co_name in _HANDLERS and not code.co_filename.startswith(_HOOK):
            return True
        frame = frame.f_back
    return False


def interrupts_torch() -> bool:
    """Whether a signal handler, or what Python calls as one, came between two lines of torch's own Python."""
    handlers: set[CodeType] = set()
    # Not our own: a frame that holds itself is left to the garbage collector, with those of the program.
    frame = sys._getframe(1)
    if not _is_below_torch(frame):
        return False
    while frame.f_back is not None:
        if _is_torch_s(frame.f_back):
            handlers = handlers or {*codes_of_handlers(), _leave_waiting.__code__}
            if frame.f_code in handlers:
                return True
        frame = frame.f_back
    return False


def _is_below_torch(called: FrameType) -> bool:
    """Whether any of torch's Python waits for this call: of an ordinary step none does."""
    frame: FrameType | None = called
    while frame is not None:
        if frame.f_code.co_filename.startswith(_TORCH):
            return True
        frame = frame.f_back
    return False


def _is_torch_s(interrupted: FrameType) -> bool:
    """Whether torch runs there, perhaps by way of `contextlib` or of what the hook puts in between."""
    frame: FrameType | None = interrupted
    while frame is not None and frame.f_code.co_filename.startswith((contextlib.__file__, _HOOK)):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(_TORCH)


@contextlib.contextmanager
def unseen_by_modes() -> Iterator[None]:
    """Keep what is asked of torch here from the modes of the program, which may count its operators."""
    with torch._C.DisableTorchFunction():
        if not torch._C._len_torch_dispatch_stack():
            yield
            return
        with torch._C._DisableTorchDispatch():
            yield


def function_modes() -> list[Any]:
    """The function modes of this thread, ours among them, the outermost last."""
    return [_mode_at(position) for position in range(_length())]


def _is_on_the_stack(mode: Any) -> bool:
    return any(other is mode for other in function_modes())


def _is_left(mode: Any) -> bool:
    """Take it off this thread's stack; False where that has to wait. While it runs, it is not there."""
    if _is_on_the_stack(mode):
        if interrupts_torch():
            return False
        _replace_function_modes([other for other in function_modes() if other is not mode])
    hidden[:] = [ours for ours in hidden if ours is not mode]
    _answer_as_torch_does()
    return True


def _replace_function_modes(wanted: list[Any]) -> None:
    before = function_modes()
    try:
        while _length():
            _pop_mode()
        for mode in wanted:
            _push_mode(mode)
    except BaseException:
        # A signal handler of the program raised in between; its modes are to be there as before.
        while _length():
            _pop_mode()
        for mode in before:
            _push_mode(mode)
        raise


def leave_waiting() -> None:
    """Leave what has been waiting for that, where this is the main thread and can be done here."""
    if threading.current_thread() is not threading.main_thread():
        return
    for waiting in tuple(_waiting):
        mode, may_come_back_until = waiting
        # One that runs, or has just returned, is not on the stack, and torch is about to put it back.
        may_come_back = not _is_on_the_stack(mode) and monotonic() < may_come_back_until
        if mode.is_entered or (not may_come_back and _is_left(mode)):
            with contextlib.suppress(ValueError):
                _waiting.remove(waiting)


def _call_until_left() -> None:
    """Have the main thread try again and again; run on a thread of its own.

    The call itself must start no thread, nor wait: Python 3.11 may then hold the main thread for good.
    """
    pause_s = _RETRY_S
    while _waiting:
        sleep(pause_s)
        ctypes.pythonapi.Py_AddPendingCall(_LEAVE_WAITING, None)
        pause_s = min(2 * pause_s, _LONGEST_RETRY_S)
    _caller.clear()


def _leave_waiting(_: int | None) -> int:
    """Python calls this on the main thread between two of its instructions, as it does a signal handler."""
    leave_waiting()
    return 0


_LEAVE_WAITING = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(_leave_waiting)


def _only_ours() -> list[Any]:
    """The modes of this thread where all of them are ours: one, and one before it that waits to be left."""
    modes = function_modes()
    return modes if all(any(ours is mode for ours in hidden) for mode in modes) else []


def _are_popped(modes: list[Any]) -> bool:
    """Take them off the stack; False where a signal handler has left one of them meanwhile."""
    for number, mode in enumerate(reversed(modes)):
        if not _is_popped(mode):
            for popped in modes[len(modes) - number :]:
                _push_mode(popped)
            return False
    return True


def _is_popped(mode: Any) -> bool:
    try:
        popped = _pop_mode()
    except RuntimeError as error:
        let_through(error)
        return False
    if popped is not mode:
        _push_mode(popped)
    return popped is mode


def _without_ours(ask: Callable[..., bool]) -> Callable[..., bool]:
    """A question about tensors, as it is answered where no mode of ours is on the stack."""

    @functools.wraps(ask)
    def asked(*given: Any) -> bool:
        if not ask(*given):
            return False
        modes = _only_ours()
        if not modes or not _are_popped(modes):
            # Of the program's, or left by a signal handler since it was asked.
            return ask(*given)
        try:
            return ask(*given)
        finally:
            for mode in modes:
                _push_mode(mode)
            for mode in modes:
                if not mode.is_entered:
                    # Left meanwhile, or waiting for that.
                    leave(mode)

    # TorchScript knows torch's by identity.
    _register_builtin(asked, "aten::has_torch_function")
    return asked


def _modes_of_program() -> list[Any]:
    return [mode for mode in function_modes() if not any(ours is mode for ours in hidden)]


ANSWERS: tuple[tuple[Any, Any], ...] = (
    *(
        (ask, _without_ours(ask))
        for ask in (
            torch._C._has_torch_function,
            torch._C._has_torch_function_unary,
            torch._C._has_torch_function_variadic,
        )
    ),
    (_length, lambda: len(_modes_of_program())),
    (_mode_at, lambda position: _modes_of_program()[position]),
    (torch._C._is_torch_function_mode_enabled, lambda: bool(_modes_of_program())),
    (torch.overrides._get_current_function_mode_stack, _modes_of_program),
    (torch.overrides._get_current_function_mode, lambda: next(reversed(_modes_of_program()), None)),
)
"""Torch's functions that tell of modes, each with ours."""

_IDENTITIES = frozenset(id(one) for pair in ANSWERS for one in pair)

_QUESTIONS = (
    *("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic"),
    *("_has_torch_function", "_has_torch_function_unary", "_has_torch_function_variadic"),
    *("_get_current_function_mode_stack", "_get_current_function_mode"),
)
_OF_THE_STACK = ("_len_torch_function_stack", "_get_function_stack_at", "_is_torch_function_mode_enabled")
"""Not replaced in `torch.overrides`, which calls the mode by what they say."""
_NAMES = frozenset(_QUESTIONS + _OF_THE_STACK)
_has_replaced: list[Any] = []
"""Whether ours stand in the places of torch's."""


def _hide(mode: Any) -> None:
    if not any(ours is mode for ours in hidden):
        hidden.append(mode)
    _answer_without_ours()


def _answer_without_ours() -> None:
    if not _has_replaced:
        _has_replaced.append(None)
        _replace({id(torch_s): ours for torch_s, ours in ANSWERS}, torch_too=False)


def _answer_as_torch_does() -> None:
    if _has_replaced and not hidden:
        # What was imported meanwhile has ours as well.
        _replace({id(ours): torch_s for torch_s, ours in ANSWERS}, torch_too=True)
        _let_dynamo_look_again()
        _has_replaced.clear()


def _replace(by_identity: dict[int, Any], *, torch_too: bool) -> None:
    """Put others into the places of these functions, wherever a module has them by whatever name."""
    for module_name, namespace in asking_modules():
        is_torch_s = module_name.startswith("torch.") and module_name not in ("torch._C", "torch.overrides")
        if is_torch_s and not torch_too:
            continue
        for name in _QUESTIONS if module_name == "torch.overrides" else tuple(namespace):
            other = by_identity.get(id(namespace.get(name)))
            if other is not None:
                namespace[name] = other


def asking_modules() -> list[tuple[str, dict[str, Any]]]:
    """The names and contents of modules that have one of these functions; looked for after an import only."""
    imported = (len(sys.modules), next(reversed(sys.modules)))
    found = _asking.get(imported)
    if found is None:
        modules = tuple(sys.modules.items())
        # type() and object's own: a lazy module would import itself.
        contents = [
            (name, object.__getattribute__(module, "__dict__"))
            for name, module in modules
            if issubclass(type(module), ModuleType)
        ]
        found = [(name, namespace) for name, namespace in contents if _asks(name, namespace)]
        _asking.clear()
        # What another thread is importing has not all of its names yet.
        if not any(getattr(namespace.get("__spec__"), "_initializing", False) for _, namespace in contents):
            _asking[imported] = found
    return found


def _asks(module_name: str, namespace: dict[str, Any]) -> bool:
    """Whether it has one of these functions: torch by its own name, which is quicker."""
    if module_name == __name__:
        return False
    if module_name.startswith("torch."):
        return not namespace.keys().isdisjoint(_NAMES)
    return not _IDENTITIES.isdisjoint(map(id, tuple(namespace.values())))


_asking: dict[tuple[int, str], list[tuple[str, dict[str, Any]]]] = {}
"""The answer, by how many modules there were then and the newest."""


def _let_dynamo_look_again() -> None:
    """Dynamo knows torch's functions by identity, as they were when it first looked: perhaps meanwhile."""
    rules = getattr(sys.modules.get("torch._dynamo.trace_rules"), "get_torch_obj_rule_map", None)
    if rules is not None and rules.cache_info().currsize and any(ours in rules() for _, ours in ANSWERS):
        rules.cache_clear()
