"""An end after so many seconds, for programs whose steps are long, or that take none."""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["OutOfTime", "time_limit"]

_AGAIN_SECONDS = 1.0
"""What is raised inside a finalizer is lost: it is raised again."""


class OutOfTime(BaseException):
    """Ends the program: no `except Exception` of a trainer's holds it up."""

    def __init__(self, seconds: float | None = None) -> None:
        super().__init__("preflight's limit in time was reached")
        self.seconds = seconds


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise `OutOfTime` on this thread when its time is over, again and again until it has left.

    Args:
        seconds: None for no limit.
    """
    if seconds is None:
        yield
    elif hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread():
        with _by_signal(seconds):
            yield
    else:
        with _by_thread(seconds):
            yield


@contextmanager
def _by_signal(seconds: float) -> Iterator[None]:
    """A signal ends what waits in the operating system as well."""

    def end(*_: Any) -> None:
        raise OutOfTime(seconds)

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _by_thread(seconds: float) -> Iterator[None]:
    thread, is_over = ctypes.c_ulong(threading.get_ident()), threading.Event()

    def end() -> None:
        wait = seconds
        while not is_over.wait(wait):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(OutOfTime))
            wait = _AGAIN_SECONDS

    watch = threading.Thread(target=end, name="tbprof time limit", daemon=True)
    watch.start()
    try:
        yield
    finally:
        is_over.set()
        watch.join()
