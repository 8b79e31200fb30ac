"""How long the hook waits while another profiler is at work."""

from __future__ import annotations

import logging

logger = logging.getLogger("tbprof")


class Backoff:
    """Says once that it gives way, and waits twice as long each time."""

    def __init__(self, shortest_steps: int) -> None:
        self._shortest_steps = shortest_steps
        self._steps = 0
        self.has_happened = False
        """Whether it ever gave way: nobody knows which steps the other profiler has slowed down."""

    def steps(self) -> int:
        """Steps until the next try."""
        if not self.has_happened:
            self.has_happened = True
            logger.warning("Another profiler is running in this process: tbprof waits and tries again later.")
        self._steps = 2 * self._steps or self._shortest_steps
        return self._steps

    def end(self) -> None:
        """A window was recorded: the next time is a first time again."""
        self._steps = 0
