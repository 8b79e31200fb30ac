"""An end from outside: after so many seconds, or when what the program waits for will never come."""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Callable
from typing import Any

from tbprof.preflight.program import signals

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
            self._undo = signals.handle(signal.SIGALRM, self._raise)

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
