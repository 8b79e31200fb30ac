"""What the page Run shows: where the wall time of a run went since its start."""

from __future__ import annotations

from tbprof.records import dataclass


@dataclass(frozen=True, slots=True)
class RunPartRow:
    part: str
    name: str
    us: float
    """A mean over the processes."""
    share: float
    """The share of the wall time, 0 to 1."""
    gpu_h: float | None
    """The GPU-hours of all processes; null without a GPU."""
    count: int
    """How often, in all processes; of steps all of them."""


@dataclass(frozen=True, slots=True)
class RunPauseRow:
    name: str
    """The name of its part."""
    at_us: float
    """Since the start of the first process of its rank."""
    us: float
    step: int
    place: str
    rank: int | None


@dataclass(frozen=True, slots=True)
class StepLength:
    """Steps that took less than `below_us`, and at least half of it."""

    below_us: float
    steps: int


@dataclass(frozen=True, slots=True)
class RunTimeView:
    headline: str
    """"" where the hook left nothing of it."""
    sentences: tuple[str, ...]
    comes_first: bool
    """Whether it loses more than the windows show, so that it is said before them."""
    advice: tuple[str, ...]
    """May hold `code`."""
    wall_us: float
    step_us: float | None
    goodput: float
    """The share of the wall time that was steps at their usual length, 0 to 1."""
    parts: tuple[RunPartRow, ...]
    pauses: tuple[RunPauseRow, ...]
    """The longest, in the order of their time."""
    lengths: tuple[StepLength, ...]
    problems: tuple[str, ...]


NO_RUN_TIME = RunTimeView("", (), False, (), 0.0, None, 0.0, (), (), (), ())
