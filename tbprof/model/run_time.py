"""Where the wall time of one process of a run went, as the hook counts it from the start to the end."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from tbprof.records import dataclass

RunPart: TypeAlias = Literal[
    "steps",
    "slow",
    "checkpoint",
    "evaluation",
    "data",
    "compile",
    "start",
    "recording",
    "phase",
    "outside",
]
"""`steps` are the steps at their usual length; `slow` is what others took beyond that, where no sample says
why. `start` is what came before the first step, and what the first steps took beyond the usual; `recording`
the hook's own work between steps, `phase` other phases that the program marks, `outside` what came between
two trainings and after the last step."""

RUN_PARTS: tuple[RunPart, ...] = get_args(RunPart)


@dataclass(frozen=True, slots=True)
class PartTime:
    part: RunPart
    ns: int
    count: int
    """How often; of `steps` the number of all steps."""


@dataclass(frozen=True, slots=True)
class Pause:
    """What took far longer than a usual step."""

    part: RunPart
    at_ns: int
    """Since the start."""
    ns: int
    step: int
    """The steps that were over."""
    place: str
    """The line in which most of it was spent, as `train.py:88 validate`, or the name of the phase; "" where
    nobody looked."""


@dataclass(frozen=True, slots=True)
class RunTime:
    """The parts add up to all of the time."""

    schema: int
    worker: str
    rank: int | None
    began_ns: int
    """The start of the process, in ns since 1970."""
    wall_ns: int
    end: Literal["", "closed", "error"]
    """How the training ended; "" where nobody said, as of one that was killed or still runs."""
    first_step: int
    """The steps before the checkpoint that it went on from."""
    steps: int
    step_ns: int | None
    """The median; None without any step."""
    has_gpu: bool
    parts: tuple[PartTime, ...]
    """In the order of `RUN_PARTS`; those that are 0 are missing."""
    lengths: tuple[tuple[int, int], ...]
    """The lengths of steps: how many took less than so many ns, a power of 2, and at least half of it."""
    pauses: tuple[Pause, ...]
    """The longest, in the order of their time."""
