"""Knows from which duration on a step is slow, and which slow step begins a window."""

from __future__ import annotations

from tbprof.hook.config.slow_steps import NO_STEP_NS, SlowSteps
from tbprof.hook.steps.step_clock import StepClock

FEWEST_STEPS = 20
"""Steps that must be known before one of them can be called slow."""

ENOUGH_STEPS = 500
"""From so many on their median hardly changes, and is taken again as often."""


class SlowStepWatch:
    """Keeps the clock's limit at `factor` times the median of its latest steps."""

    def __init__(self, wanted: SlowSteps | None, clock: StepClock) -> None:
        self._wanted = wanted
        self._clock = clock
        self._left = 0 if wanted is None else wanted.at_most
        self._not_before = 0

    def look(self, steps_taken: int) -> int | None:
        """Bring the limit up to date; the steps after which to do it again, None for never."""
        self._clock.slow_ns = NO_STEP_NS
        if self._wanted is None or self._left == 0:
            return None
        known, median_ns = len(self._clock.unprofiled_ns), self._clock.unprofiled.median_ns
        if median_ns is not None and known >= FEWEST_STEPS:
            self._clock.slow_ns = round(self._wanted.factor * median_ns)
        return steps_taken + (FEWEST_STEPS if known < ENOUGH_STEPS else ENOUGH_STEPS)

    def begins_window(self, steps_taken: int, duration_ns: int) -> bool:
        """Whether a step that is just over was slow, and begins a window; if so, it is counted."""
        if self._wanted is None or self._left == 0 or steps_taken < self._not_before:
            return False
        if duration_ns < self._clock.slow_ns:
            return False
        self._left -= 1
        self._not_before = steps_taken + self._wanted.cool_down
        return True
