"""The thread that a window belongs to: torch keeps a profiler's state for the one that started it."""

from __future__ import annotations

import logging
import threading

__all__ = ["ThreadAffinity"]

logger = logging.getLogger("tbprof")


class ThreadAffinity:
    """Knows the thread that began the latest window, and says once that a call came from another."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()
        self._said = False

    def take(self) -> None:
        """From now on it is the calling thread."""
        self._thread = threading.get_ident()

    @property
    def is_this(self) -> bool:
        return threading.get_ident() == self._thread

    def say_elsewhere(self, call: str) -> None:
        """Log once that a call came from a thread that can't touch the window."""
        if not self._said:
            self._said = True
            logger.warning(
                "%s was called from a thread other than the one being recorded, and is ignored;"
                " call it from the training thread.",
                call,
            )
