"""Host time of the training's steps, with and without a profiler."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter_ns

from tbprof.hook.config.slow_steps import NO_STEP_NS
from tbprof.hook.steps.device_clock import DeviceClock

KEPT_STEPS = 1000
"""Enough for a steady median, and a bound for runs of millions of steps."""

COLD_FACTOR = 1.5
"""First steps longer than this times the median are start-up; so are a window's in the analysis."""

FEWEST_STEPS = 3
"""With fewer, nobody can say which of them is unlike the others."""


@dataclass(frozen=True, slots=True)
class StepTimes:
    """How long steps take without a profiler."""

    cold_ns: tuple[int, ...] = ()
    """The run's first steps, while they took longer than the others: in none of the figures below."""
    median_ns: int | None = None
    """None before the first step."""
    quartiles_ns: tuple[int, ...] = ()
    """The lower and the upper one; none of fewer than two steps."""


class _Counted:
    """Takes the steps that are in no figure."""

    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps = 0

    def append(self, _: int) -> None:
        self.steps += 1


class StepClock:
    """Measures from the end of one `step()` to the start of the next, on the host."""

    __slots__ = ("_last_ns", "_left_out", "device", "outside", "profiled_ns", "slow_ns", "unprofiled_ns")

    def __init__(self) -> None:
        self.device = DeviceClock()
        self.unprofiled_ns: deque[int] = deque(maxlen=KEPT_STEPS)
        """The latest steps outside every window that share the machine with no process of ours."""
        self._left_out = _Counted()
        self.outside: deque[int] | _Counted = self.unprofiled_ns
        """Takes the next steps outside every window."""
        self.profiled_ns: list[int] = []
        """The recorded steps of the current window."""
        self.slow_ns = NO_STEP_NS
        """A step that takes as long is one that somebody wants to know of."""
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

    def share_with_own_work(self, *, is_shared: bool) -> None:
        """Whether processes of ours are at work from here on: that steps take longer then is no news."""
        self.outside = self._left_out if is_shared else self.unprofiled_ns

    @property
    def left_out(self) -> int:
        """Steps outside every window that shared the machine with our own processes."""
        return self._left_out.steps

    @property
    def unprofiled(self) -> StepTimes:
        """Of the latest steps outside every window."""
        # Once the earliest ones are forgotten, start-up is as well.
        cold = 0 if len(self.unprofiled_ns) == KEPT_STEPS else _cold_steps(self.unprofiled_ns)
        steps = list(self.unprofiled_ns)
        return StepTimes(tuple(steps[:cold]), _median(steps[cold:]), _quartiles(steps[cold:]))

    def median_of_latest(self, steps: int) -> int | None:
        """Of so many steps outside every window; None where there were too few to tell."""
        latest = list(self.unprofiled_ns)[-steps:]
        return _median(latest) if min(steps, len(latest)) >= FEWEST_STEPS else None

    @property
    def median_profiled_ns(self) -> int | None:
        """None where the window recorded no whole step."""
        return _median(self.profiled_ns)


def _cold_steps(durations_ns: Sequence[int]) -> int:
    if len(durations_ns) < FEWEST_STEPS:
        return 0
    usual = COLD_FACTOR * median(durations_ns)
    return next(number for number, duration_ns in enumerate(durations_ns) if duration_ns <= usual)


def _median(durations_ns: Sequence[int]) -> int | None:
    return int(median(durations_ns)) if durations_ns else None


def _quartiles(durations_ns: Sequence[int]) -> tuple[int, ...]:
    if len(durations_ns) < 2:
        return ()
    lower, _, upper = quantiles(durations_ns, n=4, method="inclusive")
    return int(lower), int(upper)
