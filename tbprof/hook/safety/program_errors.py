"""Exceptions of the program's own that Python raises in whatever code runs at that moment.

A time limit by SIGALRM, a handler of SIGTERM that has a checkpoint written, a limit that another thread sets
with `PyThreadState_SetAsyncExc`: what arrives while the hook is at work is meant for the training.
"""

from __future__ import annotations

import dis
import gc
import queue
import signal
import sys
from collections.abc import Iterable, Iterator
from itertools import pairwise
from types import CodeType, FrameType, FunctionType, MethodType, TracebackType
from typing import Any

_RAISES = frozenset(dis.opmap[name] for name in ("RAISE_VARARGS", "RERAISE"))
_CALLS = tuple(number for name, number in dis.opmap.items() if name.startswith(("CALL", "PRECALL")))

_BARE = (StopIteration, StopAsyncIteration, GeneratorExit, MemoryError, queue.Empty)
"""Exceptions that C code raises without arguments; those of another thread never have any."""

_OURS = frozenset({"tbprof", "torch", "builtins", "msgspec", "numpy", *sys.stdlib_module_names})
"""Packages whose exceptions the hook's own work can raise."""


def let_through(error: Exception) -> None:
    """Raise `error` again where it belongs to the program; any other one stays here."""
    if belongs_to_program(error):
        raise error


def belongs_to_program(error: BaseException) -> bool:
    """Whether a signal handler written in Python raised `error`, or another thread did in this one."""
    handlers = _codes_of_handlers()
    frames = pairwise(_frames(error.__traceback__))
    if any(inner.f_code in handlers or _was_given_frame(inner, outer) for outer, inner in frames):
        return True
    return _came_from_outside(error)


def _frames(traceback: TracebackType | None) -> Iterator[FrameType]:
    while traceback is not None:
        yield traceback.tb_frame
        traceback = traceback.tb_next


def _codes_of_handlers() -> set[CodeType]:
    """The code of the handlers that are set now; one may set another before it raises."""
    handlers: Iterable[Any] = (signal.getsignal(number) for number in signal.valid_signals())
    functions = (handler.__func__ if type(handler) is MethodType else handler for handler in handlers)
    return {function.__code__ for function in functions if type(function) is FunctionType}


def _was_given_frame(frame: FrameType, interrupted: FrameType) -> bool:
    """Whether it was given what Python gives a handler: a signal, and the frame that it interrupts.

    The garbage collector is asked for the arguments: `f_locals` would write into the dictionary that a
    function of the program may have taken with `locals()`.
    """
    held = gc.get_referents(frame)
    given = (held, *(one for one in held if type(one) is tuple))
    return any(
        type(number) is int and where is interrupted for values in given for number, where in pairwise(values)
    )


def _came_from_outside(error: BaseException) -> bool:
    """Whether nothing in the innermost frame raised it.

    What another thread has set is raised where a function begins, a loop turns or a call returns. The last
    looks as if the call had raised it; but then it has no arguments, or a class that nothing here knows.
    """
    innermost = error.__traceback__
    if innermost is None or isinstance(error, _BARE):
        return False
    while innermost.tb_next is not None:
        innermost = innermost.tb_next
    instruction = innermost.tb_frame.f_code.co_code[innermost.tb_lasti]
    if instruction in _RAISES:
        return False
    return not error.args or (instruction in _CALLS and _is_foreign(error, innermost.tb_frame))


def _is_foreign(error: BaseException, frame: FrameType) -> bool:
    """Whether its class is none that the code of this frame, ours or torch's, can raise."""
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return package in _OURS and type(error).__module__.partition(".")[0] not in _OURS
