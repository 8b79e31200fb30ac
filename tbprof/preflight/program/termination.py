"""SIGTERM to a child whose handler of it is Python's, until it has been obeyed."""

from __future__ import annotations

import signal
from contextlib import suppress
from multiprocessing.connection import wait
from threading import Thread
from typing import Any

_WAITS = (1.0, 2.0, 7.0)
"""Seconds between one signal and the next."""


def insist(process: Any) -> None:
    """Send it again to what `multiprocessing` calls the `Popen` of a process, and SIGKILL in the end.

    A signal that comes just before the child begins to wait for a lock is heard when the lock comes, or
    never; what a handler raises inside a finalizer is lost; and what waits in C for good hears nothing.
    """
    # When Python shuts down there are no more threads.
    with suppress(RuntimeError):
        Thread(target=_insist, args=(process,), name="tbprof termination", daemon=True).start()


def _insist(process: Any) -> None:
    for number, seconds in enumerate(_WAITS, start=1):
        # The program may have closed it.
        with suppress(OSError, ValueError):
            if wait([process.sentinel], seconds):
                return
            process._send_signal(signal.SIGTERM if number < len(_WAITS) else signal.SIGKILL)
