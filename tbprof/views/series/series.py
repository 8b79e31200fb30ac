"""Windows side by side: the ranks of a run, or the windows of one worker over the training."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, TypeAlias

from tbprof.averages import fmean
from tbprof.model import Report
from tbprof.records import dataclass
from tbprof.texts.screens.idle import cause_name
from tbprof.views.base.steady import mean_communication_us, steady_steps
from tbprof.views.base.times import optional_us, us
from tbprof.views.overview.idle_causes import stacking_place

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
    """As the trace itself has it."""
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
    world_size: int | None
    git_commit: str | None
    is_damaged: bool = False
    """Whether only a part of the trace could be read."""


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
    """By rank; of many ranks those that stand out, or those that were asked for."""
    total: int
    """Of all ranks, in `rows` or not."""
    reading: int
    """Of all, those that are still to be read."""
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


def figures_of(report: Report) -> WindowFigures:
    """What a series shows of one window."""
    steady = steady_steps(report)
    count = max(len(steady), 1)
    devices = 0 if report.idle is None else len(report.idle.by_device)
    idle = [step.device_idle_ns for step in steady if step.device_idle_ns is not None]
    total_ns = sum(step.length_ns for step in steady)
    causes = sorted({cause for step in steady for cause in step.idle_by_cause}, key=stacking_place)
    lag = [step.gpu_lag_ns for step in steady if step.gpu_lag_ns is not None]
    uploads = sum(copy.bytes for copy in report.copies if copy.direction == "HtoD")
    facts = report.facts
    return WindowFigures(
        rank=report.trace.rank,
        steps=len(report.steps),
        first_step=None if facts is None else facts.first_step,
        step_us=fmean(us(step.length_ns) for step in steady) if steady else None,
        unprofiled_step_us=None if facts is None else optional_us(facts.unprofiled_step_ns),
        communication_us=mean_communication_us(report),
        idle_share=sum(idle) / max(total_ns * devices, 1) if idle and devices else None,
        causes=tuple(
            SeriesCause(
                cause,
                cause_name(cause),
                us(sum(step.idle_by_cause.get(cause, 0) for step in steady)) / count / max(devices, 1),
            )
            for cause in causes
        ),
        sync_points=sum(step.sync_points for step in steady) / count,
        wait_us=us(sum(step.wait_ns for step in steady)) / count,
        gpu_lag_us=us(max(lag)) if lag else None,
        uploaded_bytes=uploads / max(len(report.steps), 1),
        could_save_us=_could_save_us(report),
        world_size=report.trace.world_size,
        git_commit=None if facts is None else facts.git_commit,
        is_damaged=report.trace.is_damaged,
    )


def missing_ranks(there: Collection[int], world_size: int, unnumbered: int = 0) -> tuple[int, ...]:
    """Those of the world, and below the highest one that is there, that are not there.

    None where workers without a number, of which there are `unnumbered`, are enough to be them.
    """
    size = max((world_size, *(rank + 1 for rank in there)), default=0)
    missing = tuple(rank for rank in range(size) if rank not in there)
    return missing if len(missing) > unnumbered else ()


def _could_save_us(report: Report) -> float | None:
    if report.savings is None or report.savings.estimate_ns is None:
        return None
    return us(report.savings.estimate_ns) / max(len(report.steps), 1)
