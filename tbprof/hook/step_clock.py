"""Host time of the training's steps, with and without a profiler."""

from __future__ import annotations

from collections import deque
from statistics import median
from time import perf_counter_ns

__all__ = ["StepClock"]

KEPT_STEPS = 1000
"""Enough for a steady median, and a bound for runs of millions of steps."""


class StepClock:
    """Measures from the end of one `step()` to the start of the next, on the host."""

    __slots__ = ("_last_ns", "profiled_ns", "unprofiled_ns")

    def __init__(self) -> None:
        self.unprofiled_ns: deque[int] = deque(maxlen=KEPT_STEPS)
        """The latest steps outside every window."""
        self.profiled_ns: list[int] = []
        """The recorded steps of the current window."""
        self._last_ns = 0

    def restart(self) -> None:
        """Begin a new step now: what the hook itself did is in no step."""
        self._last_ns = perf_counter_ns()

    def lap(self) -> int:
        """End the step, begin the next one, and return how long the ended one took."""
        now_ns = perf_counter_ns()
        duration_ns = now_ns - self._last_ns
        self._last_ns = now_ns
        return duration_ns

    @property
    def median_unprofiled_ns(self) -> int | None:
        """None before the first such step."""
        return int(median(self.unprofiled_ns)) if self.unprofiled_ns else None

    @property
    def median_profiled_ns(self) -> int | None:
        """None where the window recorded no whole step."""
        return int(median(self.profiled_ns)) if self.profiled_ns else None
