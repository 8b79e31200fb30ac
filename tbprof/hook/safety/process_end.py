"""The end of a process, which a hook that nobody has closed must not miss."""

from __future__ import annotations

import atexit
import multiprocessing
from collections.abc import Callable
from multiprocessing.util import Finalize

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
        """From now on."""
        atexit.register(self._call)
        if multiprocessing.parent_process() is not None:
            self._finalizer = Finalize(None, self._call, exitpriority=BEFORE_ALL_OTHERS)

    def forget(self) -> None:
        """No longer; harmless where it was never asked for."""
        atexit.unregister(self._call)
        if self._finalizer is not None:
            self._finalizer.cancel()
            self._finalizer = None
