"""One row a run: how idle its GPUs are, and what to change first."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from statistics import fmean

from tbprof.file_names import rank_of
from tbprof.judge.actions import ranked_actions
from tbprof.judge.steady_steps import marks_steps, mean_step_us, steady_steps
from tbprof.model import Report, Window
from tbprof.records import dataclass
from tbprof.views.action_rows import action_rows
from tbprof.views.findings import SavingView, predicted_rows
from tbprof.views.opening import lines_come_first, opening_after, recording_first


@dataclass(frozen=True, slots=True)
class RunSummary:
    """Of the newest window of each of a run's ranks."""

    run: str
    ranks: int
    """How many there are; a worker whose name tells no rank is one."""
    rank: int | None
    """The one whose GPU is idle most, and whose number of steps, action and sentences these are; None where
    nothing says which it is."""
    steps: int
    step_us: float | None
    """Mean of the steps that are not cold and over the ranks; None where no step was recorded."""
    idle_share: float | None
    """Of the same steps and ranks; None where no GPU work was recorded."""
    first_action: str
    """What to change, or to record first; "" where nothing is worth a change."""
    saves_us: float | None
    """Of a step: the estimate, or the ceiling where there is none; None where neither is known."""
    is_estimate: bool
    marks_steps: bool
    """Whether these are figures of a step; else of the window."""
    opening: str
    """The sentences that open the window's screen."""
    is_predicted: bool
    """Whether the action is of a line that would wait for a GPU, where none was recorded."""


def run_summaries(windows: Iterable[tuple[Window, Report]]) -> tuple[RunSummary, ...]:
    """The runs, the one first whose GPUs are idle most, counted over all its ranks.

    Windows may come one after the other as they are read: of each rank only a row is kept. Of several
    trainings into one folder that is of the last one: it has the same ranks again.
    """
    newest: dict[tuple[str, int | str], tuple[int, RunSummary]] = {}
    for window, report in windows:
        number = rank_of(window.worker)
        number = report.trace.rank if number is None else number
        key = window.run, window.worker if number is None else number
        known = newest.get(key)
        if known is None or window.order_ns >= known[0]:
            newest[key] = window.order_ns, _of_worker(window.run, number, report)
    runs: dict[str, list[RunSummary]] = {}
    for _, row in newest.values():
        runs.setdefault(row.run, []).append(row)
    rows = [_of_run(workers) for workers in runs.values()]
    return tuple(sorted(rows, key=lambda row: (-(row.idle_share or 0.0) * row.ranks, row.run)))


def idle_share(report: Report) -> float | None:
    """The part of the steps in which the devices were idle; None where no GPU work was recorded.

    As in the verdict the steps are those that are not cold, if there are any.
    """
    if report.idle is None:
        return None
    steps = steady_steps(report) or report.steps
    room_ns = sum(step.length_ns for step in steps) * len(report.idle.by_device)
    return sum(step.device_idle_ns or 0 for step in steps) / max(room_ns, 1)


def lost_share(report: Report) -> float:
    """The part of the steps in which the devices computed nothing; 0 where no GPU work was recorded."""
    if report.idle is None:
        return 0.0
    room_ns = sum(step.length_ns for step in report.steps) * len(report.idle.by_device)
    beside_ns = sum((step.copying_ns or 0) + (step.communication_exposed_ns or 0) for step in report.steps)
    return (report.idle.total.device_ns + beside_ns) / max(room_ns, 1)


def _of_worker(run: str, rank: int | None, report: Report) -> RunSummary:
    actions = action_rows(report, ranked_actions(report), mean_step_us(report) or 0.0)
    saves = actions[0].saves if actions else SavingView(0.0, None, 0.0)
    worth_us = saves.ceiling_us if saves.estimate_us is None else saves.estimate_us
    opening = opening_after(report, actions)
    lines = predicted_rows(report) if lines_come_first(report, actions) else ()
    first = [line.action for line in lines] or [action.title for action in actions] or [""]
    recording = recording_first(report, actions)
    return RunSummary(
        run=run,
        ranks=1,
        rank=rank,
        steps=len(report.steps),
        step_us=mean_step_us(report),
        idle_share=idle_share(report),
        first_action=recording or first[0],
        saves_us=worth_us if actions and not lines and not recording else None,
        is_estimate=saves.estimate_us is not None,
        marks_steps=marks_steps(report),
        opening=" ".join(text for text in (opening.verdict, opening.action) if text),
        is_predicted=bool(lines) and not recording,
    )


def _of_run(workers: Sequence[RunSummary]) -> RunSummary:
    worst = max(workers, key=lambda row: row.idle_share or 0.0)
    return dataclasses.replace(
        worst,
        ranks=len(workers),
        step_us=_mean([row.step_us for row in workers]),
        idle_share=_mean([row.idle_share for row in workers]),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
