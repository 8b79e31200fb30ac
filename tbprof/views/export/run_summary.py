"""One row a run: how idle its GPUs are, and what to change first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

from tbprof.model import Report, Window
from tbprof.records import dataclass
from tbprof.views.base.steady import marks_steps, mean_step_us, median_step_us
from tbprof.views.findings.actions import rank
from tbprof.views.findings.findings import SavingView
from tbprof.views.overview.action_rows import action_rows
from tbprof.views.overview.opening import opening_after

__all__ = ["RunSummary", "idle_share", "run_summaries"]


@dataclass(frozen=True, slots=True)
class RunSummary:
    """Of the newest window of each of a run's workers."""

    run: str
    ranks: int
    """How many workers there are."""
    steps: int
    """Of the worker whose GPU is idle most; so are the two that follow, and the action."""
    step_us: float | None
    """Median of the steps that are not cold; None where no step was recorded."""
    idle_share: float | None
    """Mean over the workers; None where no GPU work was recorded."""
    first_action: str
    """What to change; "" where nothing is worth a change."""
    saves_us: float | None
    """Of a step: the estimate, or the ceiling where there is none; None without an action."""
    is_estimate: bool
    marks_steps: bool
    """Whether these are figures of a step; else of the window."""
    opening: str
    """The sentences that open the window's screen."""


def run_summaries(windows: Iterable[tuple[Window, Report]]) -> tuple[RunSummary, ...]:
    """The runs, the one first whose GPUs are idle most, counted over all its ranks."""
    newest: dict[tuple[str, str], tuple[Window, Report]] = {}
    for window, report in windows:
        known = newest.get((window.run, window.worker))
        if known is None or window.order_ns >= known[0].order_ns:
            newest[window.run, window.worker] = window, report
    runs: dict[str, list[Report]] = {}
    for window, report in newest.values():
        runs.setdefault(window.run, []).append(report)
    rows = [_summary(run, reports) for run, reports in runs.items()]
    return tuple(sorted(rows, key=lambda row: (-(row.idle_share or 0.0) * row.ranks, row.run)))


def idle_share(report: Report) -> float | None:
    """The part of the steps in which the devices were idle; None where no GPU work was recorded."""
    if report.idle is None:
        return None
    room_ns = sum(step.length_ns for step in report.steps) * len(report.idle.by_device)
    return report.idle.total.device_ns / max(room_ns, 1)


def _summary(run: str, reports: Sequence[Report]) -> RunSummary:
    worst = max(reports, key=lambda report: idle_share(report) or 0.0)
    shares = [part for report in reports if (part := idle_share(report)) is not None]
    actions = action_rows(worst, rank(worst), mean_step_us(worst) or 0.0)
    saves = actions[0].saves if actions else SavingView(0.0, None, 0.0)
    worth_us = saves.ceiling_us if saves.estimate_us is None else saves.estimate_us
    opening = opening_after(worst, actions)
    return RunSummary(
        run=run,
        ranks=len(reports),
        steps=len(worst.steps),
        step_us=median_step_us(worst),
        idle_share=fmean(shares) if shares else None,
        first_action=actions[0].title if actions else "",
        saves_us=worth_us if actions else None,
        is_estimate=saves.estimate_us is not None,
        marks_steps=marks_steps(worst),
        opening=" ".join(text for text in (opening.verdict, opening.action) if text),
    )
