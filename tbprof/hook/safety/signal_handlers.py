"""Exceptions of the program's own signal handlers, which Python raises in whatever code runs at that moment.

A time limit by SIGALRM, or a handler of SIGTERM that has a checkpoint written: what it raises while the
hook is at work is meant for the training.
"""

from __future__ import annotations

import inspect
import signal
from collections.abc import Iterator
from itertools import pairwise
from types import CodeType, FrameType, TracebackType

__all__ = ["is_from_signal_handler", "let_through"]


def let_through(error: Exception) -> None:
    """Raise `error` again where a signal handler of the program raised it; any other one stays here."""
    if is_from_signal_handler(error):
        raise error


def is_from_signal_handler(error: BaseException) -> bool:
    """Whether the traceback goes through a signal handler that is written in Python."""
    handlers = _codes_of_handlers()
    frames = pairwise(_frames(error.__traceback__))
    return any(inner.f_code in handlers or _is_told_of(inner, outer) for outer, inner in frames)


def _frames(traceback: TracebackType | None) -> Iterator[FrameType]:
    while traceback is not None:
        yield traceback.tb_frame
        traceback = traceback.tb_next


def _codes_of_handlers() -> set[CodeType]:
    """Of those that are set now; one may set another before it raises."""
    handlers = (signal.getsignal(number) for number in signal.valid_signals())
    codes = (getattr(handler, "__code__", None) for handler in handlers)
    return {code for code in codes if isinstance(code, CodeType)}


def _is_told_of(frame: FrameType, interrupted: FrameType) -> bool:
    """Whether it was given what Python gives a handler: a signal, and the frame that it interrupts."""
    given = inspect.getargvalues(frame)
    rest = given.locals.get(given.varargs, ()) if given.varargs else ()
    arguments = [*(given.locals.get(name) for name in given.args), *rest]
    return any(isinstance(number, int) and where is interrupted for number, where in pairwise(arguments))
