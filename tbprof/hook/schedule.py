"""The steps of a training run that are profiled."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from tbprof.errors import UsageError
from tbprof.hook.arguments import check_whole_number, option, option_group

NO_STEP_NS = sys.maxsize
"""Longer than any step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowSteps:
    """Begin a window after a step that took `factor` times the median of the latest steps.

    The slow step itself is over by then: the window shows what comes after it, and what slows a
    training down often stays or comes again.

    Raises:
        UsageError: a number means nothing.
    """

    factor: float = field(
        default=3.0, metadata=option("begin a window after a step of so many times the median")
    )
    cool_down: int = field(default=200, metadata=option("steps after such a window in which none begins"))
    at_most: int = field(default=3, metadata=option("such windows in a run"))

    def __post_init__(self) -> None:
        is_number = isinstance(self.factor, (int, float)) and not isinstance(self.factor, bool)
        if not is_number or not 1 < self.factor < float("inf"):
            raise UsageError(f"SlowSteps: factor is {self.factor!r}; give a number above 1, such as 3.")
        check_whole_number("SlowSteps", "cool_down", self.cool_down)
        check_whole_number("SlowSteps", "at_most", self.at_most, least=1)

    def __str__(self) -> str:
        return (
            f"after a step of {self.factor:g} x the median, {self.at_most} times at most"
            f" and {self.cool_down} steps apart"
        )


_COUNTS = ("skip_first", "wait", "warmup", "active", "repeat")


def _step_numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(","))


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """The training steps that are profiled, in torch's names and with torch's meaning.

    The first `skip_first` steps are left alone. Then cycles of `wait + warmup + active`
    steps follow: in `wait` nothing happens, in `warmup` the hook gets ready and the
    profiler does not run yet, in `active` it records. Each cycle gives one window. One step lies
    between two windows in any case, for the recording of lines.
    `Schedule.every(1000)` and `Schedule.at(100, 5000)` say it in other words, and
    `print(schedule)` shows what comes of it.

    Raises:
        UsageError: a number is no whole number, is negative, or `active` is 0.
    """

    # Start-up steps (compilation, autotuning) say nothing about the rest.
    skip_first: int = field(default=10, metadata=option("steps before the first cycle"))
    wait: int = field(
        default=0, metadata=option("steps at the start of each cycle in which nothing is watched")
    )
    # The hook records lines in the first of them, and the device catches up in the others.
    warmup: int = field(
        default=3, metadata=option("steps in which the hook gets ready, before those that are recorded")
    )
    active: int = field(default=5, metadata=option("steps that a window records"))
    repeat: int = field(default=1, metadata=option("cycles in a run; 0: as many as it has room for"))
    steps: tuple[int, ...] = field(
        default=(),
        metadata=option("first steps to record, such as 100,5000, instead of cycles", _step_numbers),
    )
    slow_steps: SlowSteps | None = field(default=None, metadata=option_group(SlowSteps, "slow_steps_"))

    def __post_init__(self) -> None:
        for name in _COUNTS:
            check_whole_number("Schedule", name, getattr(self, name))
        if self.active == 0:
            raise UsageError("Schedule: active is 0, so that nothing would be recorded; give 1 or more.")
        if self.slow_steps is not None and not isinstance(self.slow_steps, SlowSteps):
            raise UsageError(
                f"Schedule: slow_steps is {self.slow_steps!r}; give a tbprof.SlowSteps(...), or None."
            )
        self._check_steps()

    def _check_steps(self) -> None:
        if not isinstance(self.steps, tuple):
            raise UsageError(f"Schedule: steps is {self.steps!r}; give a tuple of step numbers.")
        room_from = 0
        for step in self.steps:
            check_whole_number("Schedule", "a number in steps", step)
            if step - self.warmup < room_from:
                raise UsageError(
                    f"Schedule: there is no room for the warm-up of {self.warmup} before step {step};"
                    f" give {room_from + self.warmup} or more."
                )
            room_from = step + self.active + 1

    @classmethod
    def every(
        cls,
        period: int,
        *,
        skip_first: int = 10,
        warmup: int = 3,
        active: int = 5,
        slow_steps: SlowSteps | None = None,
    ) -> Schedule:
        """A window every `period` steps for as long as the run lasts.

        Raises:
            UsageError: `period` has no room for the warm-up and the recorded steps.
        """
        check_whole_number("Schedule", "period", period)
        wait = period - warmup - active
        if wait < 1:
            raise UsageError(
                f"Schedule.every: {warmup} warm-up and {active} recorded steps, and one for the lines, do"
                f" not fit into a period of {period}; give {warmup + active + 1} or more."
            )
        return cls(
            skip_first=skip_first, wait=wait, warmup=warmup, active=active, repeat=0, slow_steps=slow_steps
        )

    @classmethod
    def at(
        cls, *steps: int, warmup: int = 3, active: int = 5, slow_steps: SlowSteps | None = None
    ) -> Schedule:
        """A window of `active` steps from each of these step numbers on, ascending; the first step is 0.

        Raises:
            UsageError: two of them are too close to each other, or the first to the start.
        """
        return cls(warmup=warmup, active=active, steps=steps, slow_steps=slow_steps)

    @property
    def first_start(self) -> int:
        """How many steps are over when the first warm-up begins."""
        return self.steps[0] - self.warmup if self.steps else self.skip_first + self.wait

    @property
    def steps_before_recording(self) -> int:
        """How many steps are over when the first recording begins; one more gives a window."""
        return self.first_start + self.warmup

    @property
    def window_steps(self) -> int:
        """Steps that belong to a window: warm-up and recording."""
        return self.warmup + self.active

    @property
    def cycle_steps(self) -> int:
        """Steps from the start of one window to that of the next."""
        return max(self.wait, 1) + self.window_steps

    @property
    def steps_needed(self) -> int:
        """Steps that a run must take until its first window is whole."""
        return self.first_start + self.window_steps

    def next_recorded(self, step: int, origin: int = 0) -> int | None:
        """The first step from this one on that is recorded; None where none is.

        Args:
            step: The number of a step; the first one is 0.
            origin: Steps that the training had taken when it went on from a checkpoint; it starts up as well.
        """
        if self.steps:
            later = (max(first, step) for first in self.steps if step < first + self.active)
            return min(later, default=None)
        first = self.steps_before_recording
        if self.repeat:
            first += origin
        else:
            step = max(step, origin + self.skip_first)
        cycle = max(0, (step - first) // self.cycle_steps)
        begins = first + cycle * self.cycle_steps
        if step >= begins + self.active:
            cycle, begins = cycle + 1, begins + self.cycle_steps
        return None if self.repeat and cycle >= self.repeat else max(step, begins)

    def __str__(self) -> str:
        recorded = self.steps_before_recording
        parts = [
            _steps(0, self.first_start, "left alone"),
            _steps(self.first_start, recorded, "warm-up"),
            _steps(recorded, self.steps_needed, "recorded"),
        ]
        endings = [self._ending(), *([] if self.slow_steps is None else [str(self.slow_steps)])]
        return "; ".join([", ".join(part for part in parts if part), *endings])

    def _ending(self) -> str:
        later = [_steps(step, step + self.active, "recorded") for step in self.steps[1:]]
        if later:
            return "then " + ", ".join(later)
        if self.steps or self.repeat == 1:
            return "then nothing more"
        times = "for as long as the run lasts" if self.repeat == 0 else f"{self.repeat} windows in all"
        return f"again every {self.cycle_steps} steps, {times}"


def _steps(first: int, end: int, what: str) -> str:
    """`steps 3-5 recorded` for the half-open range; empty where the range is."""
    if first == end:
        return ""
    if end - first == 1:
        return f"step {first} {what}"
    return f"steps {first}-{end - 1} {what}"
