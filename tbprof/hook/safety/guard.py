"""The border between tbprof and the training that it watches: no fault of ours crosses it.

Exceptions of the program's own that Python raises in whatever code runs at that moment.

A time limit by SIGALRM, a handler of SIGTERM that has a checkpoint written, a limit that another thread sets
with `PyThreadState_SetAsyncExc`: what arrives while the hook is at work is meant for the training.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import gc
import logging
import os
import queue
import signal
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from types import CodeType, FrameType, FunctionType, MethodType, TracebackType
from typing import Any, ParamSpec, TypeVar

from tbprof.model import MissingFact
from tbprof.program.caller_frame import RELAY

logger = logging.getLogger("tbprof")

P = ParamSpec("P")


class Guard:
    """Runs the hook's own code; its first fault ends the profiling and never the training.

    `KeyboardInterrupt` and `SystemExit` belong to the training and pass, and so does what a signal handler of
    its own, or another of its threads, raises in it; that ends the profiling as well, since it interrupted us
    anywhere.
    """

    def __init__(self, end_profiling: Callable[[], None]) -> None:
        self.fault: str | None = None
        """What ended the profiling. In words: an exception would hold what the program's functions held."""
        self._end_profiling = end_profiling

    def run(self, action: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> None:
        """Call `action`; an `Exception` of its own stays here."""
        try:
            action(*args, **kwargs)
        except Exception as fault:
            if belongs_to_program(fault):
                self._end_for(fault)
                raise
            self.note(fault)

    def note(self, fault: Exception) -> None:
        """Log the first fault once, and end the profiling."""
        if self.fault is not None:
            _say(logging.DEBUG, "another fault after profiling had ended", fault)
            return
        self.fault = _reason(fault)
        _say(logging.WARNING, f"Profiling ends here and the training goes on: {self.fault}")
        _say(logging.DEBUG, "the fault that ended the profiling", fault)
        self._end()

    def _end_for(self, interruption: Exception) -> None:
        if self.fault is None:
            self.fault = name = type(interruption).__name__
            _say(logging.WARNING, f"Profiling ends here: the program raised {name} meanwhile.")
            self._end()

    def _end(self) -> None:
        try:
            self._end_profiling()
        except Exception as second:  # noqa: BLE001 - and what follows from it
            let_through(second)
            _say(logging.DEBUG, "ending the profiling failed as well", second)


def _reason(fault: Exception) -> str:
    """The fault in a line; one without a text of its own says where it was raised."""
    name = type(fault).__name__
    with contextlib.suppress(Exception):
        if text := str(fault).strip():
            return f"{name}: {text}"
    raised = fault.__traceback__
    while raised is not None and raised.tb_next is not None:
        raised = raised.tb_next
    if raised is None:
        return name
    return f"{name} in {raised.tb_frame.f_code.co_filename}, line {raised.tb_lineno}"


def _say(level: int, text: str, fault: Exception | None = None) -> None:
    # The training's own log handlers may raise, and the border is the last that can keep it.
    with contextlib.suppress(Exception):
        logger.log(level, "%s", text, exc_info=fault)


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
    handlers = codes_of_handlers()
    frames = pairwise(_frames(error.__traceback__))
    if any(inner.f_code in handlers or _was_given_frame(inner, outer) for outer, inner in frames):
        return True
    return _came_from_outside(error)


def _frames(traceback: TracebackType | None) -> Iterator[FrameType]:
    while traceback is not None:
        yield traceback.tb_frame
        traceback = traceback.tb_next


def drop_own_frames(error: BaseException) -> None:
    """Take our frames off the outer end of a traceback, before the caller raises it again.

    Whoever reads or counts them finds those of the program and torch. Python 3.10 puts the caller's back.
    """
    traceback = _TRACEBACK_OF(error)
    while traceback is not None and _is_own(traceback.tb_frame.f_code):
        traceback = traceback.tb_next
    # By the class: the exception's own may be code of the program's.
    BaseException.with_traceback(error, traceback)


def _is_own(code: CodeType) -> bool:
    return code.co_name == RELAY or code.co_filename.startswith(_HOOK)


_HOOK = os.path.dirname(os.path.dirname(__file__)) + os.sep  # noqa: PTH120 - as Python spells it
_TRACEBACK_OF = vars(BaseException)["__traceback__"].__get__


def codes_of_handlers() -> set[CodeType]:
    """The code of the handlers that are set now; one may set another before it raises."""
    functions = (_function_of(signal.getsignal(number)) for number in signal.valid_signals())
    return {function.__code__ for function in functions if type(function) is FunctionType}


def _function_of(handler: Any) -> Any:
    """The function that runs when it is called: that of a partial, a method, or an object with `__call__`."""
    while type(handler) is functools.partial:
        handler = handler.func
    if type(handler) is MethodType:
        return handler.__func__
    if type(handler) is FunctionType:
        return handler
    # No attribute of the object is asked for: that may be code of the program's.
    classes = type.__dict__["__mro__"].__get__(type(handler))
    return next((vars(kind)["__call__"] for kind in classes if "__call__" in vars(kind)), None)


def _was_given_frame(frame: FrameType, interrupted: FrameType) -> bool:
    """Whether it was given what Python gives a handler: a signal, and the frame that it interrupts.

    The garbage collector is asked for the arguments: `f_locals` would write into the dictionary that a
    function of the program may have taken with `locals()`.
    """
    held: list[Any] = []
    # An audit hook of the program may refuse it.
    with contextlib.suppress(Exception):
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


LONGEST_REASON = 200

T = TypeVar("T")
U = TypeVar("U")


class MissingFacts:
    """The optional facts of a window that could not be had, by name, with the first reason of each."""

    def __init__(self) -> None:
        self._reasons: dict[str, str] = {}

    @property
    def facts(self) -> tuple[MissingFact, ...]:
        """In the order in which they were missed."""
        return tuple(MissingFact(name, reason) for name, reason in self._reasons.items())

    def clear(self) -> None:
        """Another window begins."""
        self._reasons.clear()

    def ask(self, name: str, question: Callable[[], T], otherwise: U) -> T | U:
        """The answer; where that raises, the fact `name` is missing, and `otherwise` stands for it."""
        try:
            return question()
        except Exception as error:  # noqa: BLE001 - the program's own code and torch's may raise anything
            let_through(error)
            self.note(name, error)
            return otherwise

    def note(self, name: str, error: Exception) -> None:
        """A fact could not be had."""
        self._reasons.setdefault(name, _reason_of(error))

    def add(self, facts: tuple[MissingFact, ...]) -> None:
        """What somebody else missed."""
        for fact in facts:
            self._reasons.setdefault(fact.name, fact.reason)


def _reason_of(error: Exception) -> str:
    try:
        lines = str(error).strip().splitlines()
    except Exception:  # noqa: BLE001 - an exception of the program's own, whose text fails as well
        lines = []
    kind = type(error).__name__
    return f"{kind}: {lines[0]}"[:LONGEST_REASON].rstrip(".") if lines else kind
