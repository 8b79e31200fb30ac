"""The thread that a window belongs to: torch keeps a profiler's state for the one that started it."""

from __future__ import annotations

import logging
import threading

logger = logging.getLogger("tbprof")


class ThreadAffinity:
    """Knows the thread that began the latest window, and says once that a call came from another."""

    def __init__(self) -> None:
        # The system's number of a thread is used again when it has ended.
        self._marks: threading.local | None = None
        self._thread: threading.Thread | None = None
        self.has_others = False
        """Whether a call came from a thread that can't touch the window."""

    def take(self) -> None:
        """From now on it is the calling thread."""
        self._thread = threading.current_thread()
        self._marks = threading.local()
        self._marks.is_this = True

    @property
    def is_this(self) -> bool:
        return hasattr(self._marks, "is_this")

    @property
    def is_alive(self) -> bool:
        """Whether it can still come."""
        return self._thread is not None and self._thread.is_alive()

    def say_elsewhere(self, call: str) -> None:
        """Log once that a call came from a thread that can't touch the window."""
        if not self.has_others:
            self.has_others = True
            logger.warning(
                "%s was called from a thread other than the one being recorded, and is ignored;"
                " call it from the training thread.",
                call,
            )
