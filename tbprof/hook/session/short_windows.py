"""Why a window has fewer steps than it was to have, said once for each reason."""

from __future__ import annotations

import logging

logger = logging.getLogger("tbprof")

COUNT = "the count given to step() went back, or stood still"
STALL = "the end of a longer one would hold the training up for more than max_stall_ms, or 0.1 % of its time"


class ShortWindows:
    """Compares what was recorded with what was asked for."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def note(self, window: int, recorded_steps: int, asked_steps: int, reason: str | None) -> None:
        """A window is over, which `reason` has made shorter if anything has; None: the run ended in it."""
        if reason is not None and recorded_steps < asked_steps and reason not in self._said:
            self._said.add(reason)
            logger.warning(
                "Window %d has %d of %d steps, because %s.", window, recorded_steps, asked_steps, reason
            )
