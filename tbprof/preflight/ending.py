"""How a program ended, in one word and one sentence."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from tbprof.errors import NotSupported
from tbprof.preflight.child_runs import ChildRun
from tbprof.preflight.prediction import ENDED_WELL, Ending
from tbprof.preflight.watching import mode

_NO_KERNEL = re.compile(
    r"not implemented for|Could not run '(?P<op>[\w:.]+)'|No (?:operator|kernel)|not compiled with CUDA"
    r"|no kernel image|Torch not compiled"
)
_GPU_PACKAGES = frozenset({"triton", "flash_attn", "bitsandbytes", "apex", "transformer_engine", "xformers"})


def ending_of(error: BaseException | None, *, signal: str = "") -> tuple[Ending, str]:
    """What became of a program.

    Args:
        error: What it raised.
        signal: The name of the signal that it was sent; many end as if nothing had been.
    """
    if signal and (error is None or isinstance(error, SystemExit)):
        return _interrupted(signal)
    if error is None or (isinstance(error, SystemExit) and error.code in (None, 0)):
        return "finished", ""
    if isinstance(error, OutOfTime):
        return "out_of_time", "the time limit was reached; --time-limit sets another"
    if isinstance(error, (KeyboardInterrupt, Terminated)):
        return _interrupted("SIGINT" if isinstance(error, KeyboardInterrupt) else "SIGTERM")
    said = _said(error)
    if isinstance(error, NotSupported):
        return "not_supported", str(error)
    missing = (error.name or "").split(".")[0] if isinstance(error, ImportError) else ""
    if missing in _GPU_PACKAGES:
        return "not_supported", (
            f"the program needs {missing}, which runs only on a GPU: turn it off for this run, or put "
            "something in place of its function with --stub"
        )
    found = _NO_KERNEL.search(str(error))
    if found is not None and isinstance(error, (NotImplementedError, RuntimeError, AssertionError)):
        op = found["op"] or mode.last_op()
        return "no_cpu_kernel", (
            f"{op} has no kernel for the CPU ({said}): leave it out for this run, or put something in its "
            "place with --stub"
        )
    return "failed", f"the program failed: {said}"


def _interrupted(signal: str) -> tuple[Ending, str]:
    asked = "Ctrl-C" if signal == "SIGINT" else signal
    return "interrupted", f"{asked} ended it; what was found until then is above"


def ending_with_children(ending: Ending, error: str, runs: Iterable[ChildRun]) -> tuple[Ending, str]:
    """The program's ending, or that of the first child that failed: its own may only say that one did.

    A parent that preflight did not stop, but the last of its children, has been stopped as well.
    """
    runs = list(runs)
    failed = [run for run in runs if run.ending not in (*ENDED_WELL, "interrupted")]
    if failed and ending in (*ENDED_WELL, "failed"):
        others = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        return failed[0].ending, f"in {failed[0].name}{others}: {failed[0].error}"
    if ending in ("finished", "out_of_time") and any(run.ending == "stopped" for run in runs):
        return "stopped", ""
    return ending, error


def _said(error: BaseException) -> str:
    """The error's class and its first line; of one that quotes a traceback, the line that this ends in."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    is_quoting = any(line.startswith("Traceback (") for line in lines)
    first = "" if not lines else lines[-1] if is_quoting else lines[0]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


GRACE_SECONDS = 5.0
"""The time that a program has once it was asked to end, for example to write a checkpoint."""


class ForcedEnd:
    """Calls `end` on a thread of its own, unless the program has ended by then.

    Args:
        end: ends the process; it does not return.
    """

    def __init__(self, end: Callable[[], None]) -> None:
        self._end = end
        self._is_over = threading.Event()
        self._one_end = threading.Lock()

    def after(self, seconds: float) -> None:
        """Wait so long from now on."""

        def watch() -> None:
            if self._is_over.wait(seconds):
                return
            with self._one_end:
                if not self._is_over.is_set():
                    self._end()

        threading.Thread(target=watch, name="tbprof forced end", daemon=True).start()

    def stop(self) -> None:
        """The program has ended. Does not return where it is being ended already."""
        with self._one_end:
            self._is_over.set()


class Terminated(BaseException):
    """SIGTERM came."""


_BEFORE: list[tuple[int, Any, Any]] = []
"""Our handlers in this process: the signal's number, ours, and what stood there before."""


def handle(number: int, handler: Callable[..., Any]) -> Callable[[], None]:
    """Put a handler of ours in place, for this process and not its forks; what is returned undoes it."""
    place = (number, handler, signal.signal(number, handler))
    _BEFORE.append(place)
    return partial(_undo, place)


def _undo(place: tuple[int, Any, Any]) -> None:
    if place in _BEFORE:
        _BEFORE.remove(place)
        number, handler, before = place
        # A handler that the program has put there since stays.
        if signal.getsignal(number) == handler:
            signal.signal(number, before)


@contextmanager
def left_behind_by_a_fork() -> Iterator[None]:
    """Around a fork: the child has none of our handlers, and a SIGTERM that comes meanwhile waits.

    CPython forgets in a child, before any code of ours runs there, which signals a handler of Python has
    heard of: a child that is terminated at once would live on, and whoever joins it wait forever.
    """
    process = os.getpid()
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        yield
    finally:
        if os.getpid() != process:
            for place in reversed(_BEFORE[:]):
                _undo(place)
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


class Signals:
    """The signal that asked the program to end; a program may take it and end as if nothing had been."""

    def __init__(self) -> None:
        self.received = ""
        self.on_termination: Callable[[], None] | None = None
        """Called before SIGTERM ends the program, which may go on all the same."""
        self._is_over = False

    def hear(self, number: int, _frame: Any) -> None:
        """End the program by what Python would have raised, or would not have."""
        self.received = signal.Signals(number).name
        if number == signal.SIGTERM and self.on_termination is not None:
            self.on_termination()
        if not self._is_over:
            raise KeyboardInterrupt if number == signal.SIGINT else Terminated

    def only_note(self) -> None:
        """The program is over: raise nothing any more."""
        self._is_over = True


@contextmanager
def signals_heard() -> Iterator[Signals]:
    """Hear the two signals, SIGINT also where whoever started us ignores it, as shells do for `&`.

    A handler that somebody else has put in place stays.
    """
    signals = Signals()
    undos: list[Callable[[], None]] = []
    ours = ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL))
    for number, usual in ours:
        if signal.getsignal(number) in (usual, signal.SIG_DFL, signal.SIG_IGN):
            undos.append(handle(number, signals.hear))
    try:
        yield signals
    finally:
        for undo in undos:
            undo()


_AGAIN_SECONDS = 1.0
"""What is raised inside a finalizer is lost: it is raised again."""


class OutOfTime(BaseException):
    """Ends the program: no `except Exception` of a trainer's holds it up."""


class Interruption:
    """Raises on the thread that started it, as often as it takes, until it is stopped.

    On the main thread a signal does it, which ends what waits in the operating system as well;
    elsewhere Python raises between two of its instructions.
    """

    def __init__(self) -> None:
        self._thread = 0
        self._error: BaseException | type[BaseException] = OutOfTime
        self._by_signal = False
        self._undo: Callable[[], None] | None = None
        self._is_over = threading.Event()

    def start(self) -> None:
        """On the thread that may be interrupted."""
        self._thread = threading.get_ident()
        is_main = threading.current_thread() is threading.main_thread()
        self._by_signal = is_main and hasattr(signal, "SIGALRM")
        if self._by_signal:
            self._undo = handle(signal.SIGALRM, self._raise)

    def stop(self) -> None:
        self._is_over.set()
        if self._undo is not None:
            self._undo()

    def after(self, seconds: float, error: Callable[[], BaseException | None]) -> None:
        """Ask, from then on every second, for what to raise; None for nothing yet."""

        def watch() -> None:
            wait = seconds
            while not self._is_over.wait(wait):
                raised, wait = error(), _AGAIN_SECONDS
                if raised is not None:
                    self._interrupt(raised)

        threading.Thread(target=watch, name="tbprof interruption", daemon=True).start()

    def _interrupt(self, error: BaseException) -> None:
        self._error = error
        # A program with an alarm of its own is left it.
        if self._by_signal and signal.getsignal(signal.SIGALRM) == self._raise:
            signal.pthread_kill(self._thread, signal.SIGALRM)
        else:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self._thread), ctypes.py_object(type(error))
            )

    def _raise(self, *_: Any) -> None:
        if not self._is_over.is_set():
            raise self._error
