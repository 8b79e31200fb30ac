"""The ranks of a run side by side, and the windows of a rank one after the other."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from statistics import fmean, median

from tbprof.file_names import rank_of
from tbprof.judge.steady_steps import steady_steps
from tbprof.model import Report, Window
from tbprof.records import dataclass
from tbprof.texts.idle import cause_name
from tbprof.texts.series import (
    change_sentences,
    damaged_sentence,
    few_windows_sentences,
    missing_sentence,
    ranks_sentences,
    read_sentence,
)
from tbprof.views.fixes_made import fixes_by_commit, plan_of
from tbprof.views.idle_causes import stacking_place
from tbprof.views.outstanding import outstanding_rows, spreads_of
from tbprof.views.series import RanksView, SeriesCause, SeriesRow, TrendView, WindowFigures
from tbprof.views.steady import (
    mean_communication_us,
    mean_occupancy,
    mean_sm_efficiency,
    mean_utilization,
    optional_us,
    us,
)


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
        utilization=mean_utilization(report),
        sm_efficiency=mean_sm_efficiency(report),
        occupancy=mean_occupancy(report),
        world_size=report.trace.world_size,
        git_commit=None if facts is None else facts.git_commit,
        is_damaged=report.trace.is_damaged,
        plan=plan_of(report),
    )


def missing_ranks(there: Collection[int], world_size: int, unnumbered: int = 0) -> tuple[int, ...]:
    """The ranks of the world, and below the highest one that is there, that are not there.

    None where workers without a number, of which there are `unnumbered`, are enough to be them.
    """
    size = max((world_size, *(rank + 1 for rank in there)), default=0)
    missing = tuple(rank for rank in range(size) if rank not in there)
    return missing if len(missing) > unnumbered else ()


def _could_save_us(report: Report) -> float | None:
    if report.savings is None or report.savings.estimate_ns is None:
        return None
    return us(report.savings.estimate_ns) / max(len(report.steps), 1)


RANKS_OF_A_PAGE = 256
"""Some 200 kB."""

FEWEST_WINDOWS = 3
"""A change is named only where it lasts for so many windows, before and after."""

_MOST_CHANGES = 3
"""The newest changes of the program whose fixes are named."""

_NOISE_FACTOR = 3
"""A change is named only where it is so many times the mean distance of windows to their side."""

_LEAST_CHANGE = 0.02
"""Below this part of a step a change is not worth naming."""


@dataclass(frozen=True, slots=True)
class StepChange:
    """The window from which steps are longer, or shorter."""

    row: int
    """Index of the first window after it."""
    before_us: float
    after_us: float


def series_row(
    window: Window, number: int, figures: WindowFigures | None = None, problem: str = ""
) -> SeriesRow:
    """A window in its place: with its figures, with what is wrong with it, or still being read."""
    named = rank_of(window.worker)
    return SeriesRow(
        worker=window.worker,
        rank=figures.rank if named is None and figures is not None else named,
        window=window.window,
        number=number,
        state="broken" if problem else "reading" if figures is None else "ready",
        figures=figures,
        problem=problem,
    )


def ranks_view(rows: Sequence[SeriesRow], first: int | None = None) -> RanksView:
    """The same window of every rank, by rank; workers without one come last, by name.

    Args:
        rows: One a rank.
        first: The place in that order from which on `RANKS_OF_A_PAGE` rows are wanted; by default those that
            stand out.
    """
    rows = sorted(rows, key=lambda row: (row.rank is None, row.rank or 0, row.worker))
    reading = sum(row.state == "reading" for row in rows)
    shown = outstanding_rows(rows) if first is None else tuple(rows[first : first + RANKS_OF_A_PAGE])
    shown = _without_plans(shown)
    if reading:
        return RanksView(_read_so_far(rows), "", "", "", shown, len(rows), reading, ())
    are_ranked = all(row.rank is not None for row in rows)
    compared = [
        (str(row.rank) if are_ranked else row.worker, row.figures.idle_share, row.figures.wait_us)
        for row in rows
        if row.figures is not None
    ]
    verdict, detail = ranks_sentences(compared, are_ranked=are_ranked)
    return RanksView(
        verdict=verdict,
        detail=detail,
        missing=missing_sentence(_missing(rows)),
        damaged=damaged_sentence(_damaged(rows)),
        rows=shown,
        total=len(rows),
        reading=0,
        spreads=spreads_of(rows) if len(shown) < len(rows) else (),
    )


def trend_view(rows: Sequence[SeriesRow], left_out: int) -> TrendView:
    """The windows of one worker, oldest first."""
    shown = _without_plans(rows)
    if any(row.state == "reading" for row in rows):
        return TrendView(_read_so_far(rows), "", shown, left_out)
    known = [
        (row.number, row.figures.step_us)
        for row in rows
        if row.figures is not None and row.figures.step_us is not None
    ]
    change = step_change([step_us for _, step_us in known])
    if 0 < len(known) < 2 * FEWEST_WINDOWS:
        verdict, detail = few_windows_sentences(len(known), known[0][1], known[-1][1])
    elif change is None:
        verdict, detail = change_sentences(len(known), 0.0, 0.0, "")
    else:
        since = f"window {known[change.row][0]}"
        verdict, detail = change_sentences(len(known), change.before_us, change.after_us, since)
    details = filter(None, (detail, *_fixes(rows)))
    return TrendView(verdict, " ".join(details), shown, left_out)


def _fixes(rows: Sequence[SeriesRow]) -> list[str]:
    """What the newest changes of the program fixed, a sentence each."""
    known = [(row, row.figures.plan) for row in rows if row.figures is not None]
    plans = [(row, plan) for row, plan in known if plan is not None]
    made = fixes_by_commit([plan for _, plan in plans])
    return [f"Window {plans[at][0].number}: {fixes.sentence}" for at, fixes in made][-_MOST_CHANGES:]


def _without_plans(rows: Sequence[SeriesRow]) -> tuple[SeriesRow, ...]:
    return tuple(
        row
        if row.figures is None
        else dataclasses.replace(row, figures=dataclasses.replace(row.figures, plan=None))
        for row in rows
    )


def _read_so_far(rows: Sequence[SeriesRow]) -> str:
    return read_sentence(sum(row.state != "reading" for row in rows), len(rows))


def step_change(steps_us: Sequence[float]) -> StepChange | None:
    """Where two lengths of the step tell the windows apart best, if they stand out of the noise."""
    splits = range(FEWEST_WINDOWS, len(steps_us) - FEWEST_WINDOWS + 1)
    changes = [StepChange(row, median(steps_us[:row]), median(steps_us[row:])) for row in splits]
    best = min(changes, key=lambda change: _noise_us(change, steps_us), default=None)
    return best if best is not None and _stands_out(best, steps_us) else None


def _noise_us(change: StepChange, steps_us: Sequence[float]) -> float:
    """Mean distance of the windows to the median of their own side."""
    sides = [change.before_us] * change.row + [change.after_us] * (len(steps_us) - change.row)
    return fmean(abs(step - side) for step, side in zip(steps_us, sides, strict=True))


def _stands_out(change: StepChange, steps_us: Sequence[float]) -> bool:
    size_us = abs(change.after_us - change.before_us)
    return size_us > max(_NOISE_FACTOR * _noise_us(change, steps_us), _LEAST_CHANGE * change.before_us)


def _missing(rows: Sequence[SeriesRow]) -> tuple[int, ...]:
    worlds = [row.figures.world_size or 0 for row in rows if row.figures is not None]
    there = {row.rank for row in rows if row.rank is not None}
    return missing_ranks(there, max(worlds, default=0), sum(row.rank is None for row in rows))


def _damaged(rows: Sequence[SeriesRow]) -> tuple[int, ...]:
    return tuple(
        row.rank
        for row in rows
        if row.rank is not None and row.figures is not None and row.figures.is_damaged
    )
