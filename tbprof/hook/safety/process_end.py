"""The end of a process, which a hook that nobody has closed must not miss."""

from __future__ import annotations

import atexit
import ctypes
import multiprocessing
import os
import sys
from collections.abc import Callable
from functools import cache
from multiprocessing.util import Finalize
from weakref import WeakMethod

BEFORE_ALL_OTHERS = 1000
"""multiprocessing's own finalizers, of queues and pools, have priorities of -5 to 100."""


class ProcessEnd:
    """Calls a function when Python ends, and where a child of multiprocessing does.

    Such a child, started by fork or by a fork server, leaves by `os._exit` and runs no `atexit`.
    """

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call
        self._finalizer: Finalize | None = None

    def await_it(self) -> None:
        """Await the end from now on."""
        atexit.register(self._call)
        if multiprocessing.parent_process() is not None:
            self._finalizer = Finalize(None, self._call, exitpriority=BEFORE_ALL_OTHERS)

    def forget(self) -> None:
        """No longer; harmless where it was never asked for."""
        atexit.unregister(self._call)
        if self._finalizer is not None:
            self._finalizer.cancel()
            self._finalizer = None


_disarms: list[WeakMethod[Callable[[], None]]] = []


def disarm_in_forked_children(disarm: Callable[[], None]) -> None:
    """Call the bound method `disarm` in every process forked from now on.

    A child has a copy of the profiler's state and none of its threads. torch's Kineto joins
    such a thread when the process exits, so that a forked child which ends in the ordinary
    way waits for ever (seen with torch 2.13). Such a child leaves right after Python has
    shut down, with the exit code it has, before that join.
    """
    if not hasattr(os, "register_at_fork"):
        return
    if not _disarms:
        os.register_at_fork(after_in_child=_after_fork)
        # A child that does little more than end has no time to look for it.
        _libc()
    _disarms[:] = [reference for reference in _disarms if reference() is not None]
    _disarms.append(WeakMethod(disarm))


def _after_fork() -> None:
    for reference in _disarms:
        disarm = reference()
        if disarm is not None:
            disarm()
    _skip_native_exit_handlers()


def _skip_native_exit_handlers() -> None:
    libc = _libc()
    # on_exit is glibc's own: it hands the exit code to what it calls.
    if libc is not None and hasattr(libc, "on_exit"):
        libc.on_exit(libc._exit, None)
        # What _exit leaves out, and C libraries of the training may count on.
        atexit.register(libc.fflush, None)


@cache
def _libc() -> ctypes.CDLL | None:
    return ctypes.CDLL(None) if sys.platform.startswith("linux") else None
