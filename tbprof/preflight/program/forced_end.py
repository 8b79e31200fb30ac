"""The last means against a program that takes every exception as nothing: the process ends under it."""

from __future__ import annotations

import threading
from collections.abc import Callable

GRACE_SECONDS = 5.0
"""From when a program was asked to end: for what it does then, such as writing a checkpoint."""


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
