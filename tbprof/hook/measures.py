"""What is measured and counted while a window is recorded."""

from __future__ import annotations

from tbprof.hook.counters import counted, counts_since
from tbprof.hook.facts import WindowFacts
from tbprof.hook.step_clock import StepClock

__all__ = ["Measures"]


class Measures:
    """The numbers of the window that is recorded now."""

    def __init__(self, clock: StepClock) -> None:
        self._clock = clock
        self._first_step = 0
        self._counted_before: dict[str, int] = {}

    def begin(self, first_step: int) -> None:
        """A window begins whose first recorded step has this number."""
        self._clock.profiled_ns.clear()
        self._first_step = first_step
        self.count_from_here()

    def count_from_here(self) -> None:
        """What was counted until now belongs to the warm-up."""
        self._counted_before = counted()

    def facts(self, window: int, recorded_steps: int, *, is_undisturbed: bool) -> WindowFacts:
        """The numbers of a window that is over.

        Args:
            window: its number.
            recorded_steps: whole steps in it.
            is_undisturbed: whether no other profiler can have slowed down the steps outside it.
        """
        return WindowFacts(
            window=window,
            first_step=self._first_step,
            recorded_steps=recorded_steps,
            unprofiled_step_ns=self._clock.median_unprofiled_ns if is_undisturbed else None,
            profiled_step_ns=self._clock.median_profiled_ns,
            counters=counts_since(self._counted_before),
        )
