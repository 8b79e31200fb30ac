"""Windows side by side: the ranks of a run, or the windows of one worker over the training."""

from __future__ import annotations

from typing import Literal, TypeAlias

from tbprof.records import dataclass
from tbprof.views.fixes_made import Plan

RankFigure: TypeAlias = Literal["step_us", "communication_us", "idle_share", "wait_us"]
"""What ranks are compared by: fields of `WindowFigures`."""


@dataclass(frozen=True, slots=True)
class SeriesCause:
    cause: str
    name: str
    idle_us: float


@dataclass(frozen=True, slots=True)
class WindowFigures:
    """Means of the steady steps; null is not recorded."""

    rank: int | None
    """The rank as the trace itself has it."""
    steps: int
    first_step: int | None
    """The trainer's own number of the first step."""
    step_us: float | None
    unprofiled_step_us: float | None
    communication_us: float | None
    """With nothing computed beside it, as a mean over the devices."""
    idle_share: float | None
    causes: tuple[SeriesCause, ...]
    sync_points: float
    wait_us: float
    gpu_lag_us: float | None
    """The longest by which the GPU ends a step after the host."""
    uploaded_bytes: float
    """Host to device, a step."""
    could_save_us: float | None
    """What removing waits saves of a step, by the estimate."""
    utilization: float | None
    """The share of the time in which a kernel ran; a mean over the devices, as the next two."""
    sm_efficiency: float | None
    occupancy: float | None
    world_size: int | None
    git_commit: str | None
    is_damaged: bool = False
    """Whether only a part of the trace could be read."""
    plan: Plan | None = None
    """What a later window is compared with; no screen shows it."""


@dataclass(frozen=True, slots=True)
class SeriesRow:
    worker: str
    rank: int | None
    window: str
    number: int
    """Its place in line among the windows of its worker, from 1 on."""
    state: Literal["ready", "reading", "broken"]
    figures: WindowFigures | None
    problem: str
    """Why there are no figures; "" where there are, or will be."""


@dataclass(frozen=True, slots=True)
class FigureSpread:
    """One figure over all ranks that have it."""

    figure: RankFigure
    least: float
    median: float
    most: float


@dataclass(frozen=True, slots=True)
class RanksView:
    verdict: str
    detail: str
    missing: str
    """A sentence about ranks that were not recorded; "" if none is missing."""
    damaged: str
    """A sentence about ranks of whose traces only a part could be read; "" if there is none."""
    rows: tuple[SeriesRow, ...]
    """The rows by rank; of many ranks those that stand out, or those that were asked for."""
    total: int
    """The number of all ranks, in `rows` or not."""
    reading: int
    """The number of all ranks that are still to be read."""
    spreads: tuple[FigureSpread, ...]
    """Over all ranks; empty while some are to be read, and where all are in `rows`."""


@dataclass(frozen=True, slots=True)
class TrendView:
    verdict: str
    detail: str
    rows: tuple[SeriesRow, ...]
    """Oldest first."""
    left_out: int
    """Older windows that are not shown."""
