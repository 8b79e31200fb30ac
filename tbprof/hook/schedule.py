"""Which steps of a training run are profiled."""

from __future__ import annotations

from dataclasses import dataclass, fields

from tbprof.errors import UsageError

__all__ = ["Schedule"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """Which training steps are profiled, in torch's names and with torch's meaning.

    The first `skip_first` steps are left alone. Then cycles of `wait + warmup + active`
    steps follow: in `wait` nothing happens, in `warmup` the profiler runs and what it
    sees is thrown away, in `active` it records. Each cycle gives one window. One step lies
    between two windows in any case, for the recording of lines.
    `print(schedule)` shows the steps of the first window.

    Raises:
        UsageError: a number is no whole number, is negative, or `active` is 0.
    """

    skip_first: int = 10
    """Steps before the first cycle: start-up steps (compilation, autotuning) say nothing about the rest."""
    wait: int = 0
    """Steps at the start of each cycle in which nothing is watched."""
    warmup: int = 3
    """Steps before a recording: the first steps under a profiler are slower than the others."""
    active: int = 5
    """Steps that a window records."""
    repeat: int = 1
    """Cycles in a run; 0 means as many as the run has room for."""

    def __post_init__(self) -> None:
        for field in fields(self):
            _check_whole_number(field.name, getattr(self, field.name))
        if self.active == 0:
            raise UsageError("Schedule: active is 0, so that nothing would be recorded; give 1 or more.")

    @classmethod
    def every(cls, period: int, *, skip_first: int = 10, warmup: int = 3, active: int = 5) -> Schedule:
        """A window every `period` steps for as long as the run lasts.

        Raises:
            UsageError: `period` has no room for the warm-up and the recorded steps.
        """
        _check_whole_number("period", period)
        wait = period - warmup - active
        if wait < 1:
            raise UsageError(
                f"Schedule.every: {warmup} warm-up and {active} recorded steps, and one for the lines, do"
                f" not fit into a period of {period}; give {warmup + active + 1} or more."
            )
        return cls(skip_first=skip_first, wait=wait, warmup=warmup, active=active, repeat=0)

    @property
    def first_start(self) -> int:
        """How many steps are over when the first warm-up begins."""
        return self.skip_first + self.wait

    @property
    def window_steps(self) -> int:
        """Steps during which a profiler is there: warm-up and recording."""
        return self.warmup + self.active

    @property
    def steps_needed(self) -> int:
        """Steps that a run must take until its first window is whole."""
        return self.first_start + self.window_steps

    def __str__(self) -> str:
        recorded = self.first_start + self.warmup
        parts = [
            _steps(0, self.first_start, "left alone"),
            _steps(self.first_start, recorded, "warm-up"),
            _steps(recorded, self.steps_needed, "recorded"),
        ]
        return ", ".join(part for part in parts if part) + "; " + self._ending()

    def _ending(self) -> str:
        if self.repeat == 1:
            return "then nothing more"
        times = "for as long as the run lasts" if self.repeat == 0 else f"{self.repeat} windows in all"
        return f"again every {max(self.wait, 1) + self.window_steps} steps, {times}"


def _check_whole_number(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(f"Schedule: {name} is {value!r}; give a whole number.")
    if value < 0:
        raise UsageError(f"Schedule: {name} is {value}; give 0 or more.")


def _steps(first: int, end: int, what: str) -> str:
    """`steps 3-5 recorded` for the half-open range; empty where the range is."""
    if first == end:
        return ""
    if end - first == 1:
        return f"step {first} {what}"
    return f"steps {first}-{end - 1} {what}"
