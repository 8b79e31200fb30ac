"""The figures of a mean steady step of two windows, beside each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Literal, TypeAlias

from tbprof.judge.steady_steps import mean_step_us, steady_steps
from tbprof.model import Report
from tbprof.records import dataclass
from tbprof.texts.comparison import COMMUNICATION, figure_words
from tbprof.texts.idle import cause_name
from tbprof.views.idle_causes import idle_by_cause_us, stacking_place
from tbprof.views.steady import (
    mean_communication_us,
    mean_kernels,
    mean_launches,
    mean_occupancy,
    mean_sm_efficiency,
    mean_utilization,
    us,
)

LEAST_CHANGE = 0.02
"""The share of a step: what changed by less did not change."""

FigureKind: TypeAlias = Literal["time", "count", "share"]
_Figure: TypeAlias = Callable[[Report], "float | None"]


@dataclass(frozen=True, slots=True)
class CompareFigure:
    """A figure of a steady step; null is not recorded."""

    name: str
    kind: FigureKind
    """A time is in us, a share from 0 to 1."""
    is_part: bool
    """Whether it is a part of the nearest figure above it that is none."""
    before: float | None
    after: float | None
    change: float | None
    change_share: float | None
    """The change as a share of the figure before; null where that is nothing."""
    means: str
    """What a change of it says; "" where its name says it."""
    judged: Literal["better", "worse", ""]
    """Whether it changed for the better by more than can be nothing; "" where neither can be said."""


def compare_figures(before: Report, after: Report, *, is_told: bool | None) -> tuple[CompareFigure, ...]:
    """The step, the waits, the idle with its causes, and what was counted.

    `is_told` says whether the step is known to have changed; None where a single step has no noise to
    know it by, and nothing is judged.
    """
    planned_us = _planned_us(before)

    def rows(figures: Mapping[str, _Figure], kind: FigureKind) -> list[CompareFigure]:
        words = [figure_words(code, planned_us) for code in figures]
        sides = [(figure(before), figure(after)) for figure in figures.values()]
        return [_row(*row, kind=kind) for row in zip(words, sides, strict=True)]

    causes = _cause_rows((before, after))
    communicates = any(mean_communication_us(side) for side in (before, after))
    figures = {code: figure for code, figure in _TIMES.items() if communicates or code != COMMUNICATION}
    times = rows(figures, "time")
    shares = [row for row in rows(_SHARES, "share") if row.before is not None or row.after is not None]
    counts = [*rows(_COUNTS, "count"), *shares]
    if is_told is None:
        return (*times, *causes, *counts)
    step, waits, *parts = times
    least_us = LEAST_CHANGE * (step.before or 0.0)
    judged = (_judged(row, least_us) for row in (*parts, *causes))
    return (_judged(step, least_us) if is_told else step, waits, *judged, *counts)


def changed_most(before: Report, after: Report) -> tuple[str, float, float] | None:
    """The cause of idle, or communication, that changed most, with its us of a step before and after.

    None if none did.

    It stands beside a step whose change is lost in its noise: a cause has a noise of its own.
    """
    if before.idle is None or after.idle is None:
        return None
    was, now = (
        {**idle_by_cause_us(side, idle), COMMUNICATION: mean_communication_us(side) or 0.0}
        for side, idle in ((before, before.idle), (after, after.idle))
    )
    changes = {cause: now.get(cause, 0.0) - was.get(cause, 0.0) for cause in {*was, *now}}
    cause = max(changes, key=lambda cause: (abs(changes[cause]), cause), default=None)
    if cause is None or abs(changes[cause]) <= LEAST_CHANGE * (mean_step_us(before) or 0.0):
        return None
    return cause, was.get(cause, 0.0), now.get(cause, 0.0)


@dataclass(frozen=True, slots=True)
class ComputingChange:
    """How the device's computing changed, in us of a step, and the kind of work that did so most."""

    change_us: float
    kind: str
    before_us: float
    after_us: float


def changed_computing(before: Report, after: Report, least_us: float) -> ComputingChange | None:
    """None where it changed by less, or is not known."""
    if before.computing is None or after.computing is None:
        return None
    was, now = (
        {part.kind: us(part.device_ns) / max(len(side.steps), 1) for part in computing.parts}
        for side, computing in ((before, before.computing), (after, after.computing))
    )
    changes = {kind: now.get(kind, 0.0) - was.get(kind, 0.0) for kind in {*was, *now}}
    total_us = sum(changes.values())
    if abs(total_us) <= least_us:
        return None
    kind = max(changes, key=lambda kind: (changes[kind] if total_us > 0 else -changes[kind], kind))
    return ComputingChange(total_us, kind, was.get(kind, 0.0), now.get(kind, 0.0))


def _judged(row: CompareFigure, least_us: float) -> CompareFigure:
    """A time that is better the shorter it is."""
    if row.change is None or abs(row.change) <= least_us:
        return row
    return replace(row, judged="better" if row.change < 0 else "worse")


def _row(
    words: tuple[str, str],
    sides: tuple[float | None, float | None],
    *,
    kind: FigureKind = "time",
    is_part: bool = False,
) -> CompareFigure:
    before, after = sides
    change = None if before is None or after is None else after - before
    share = change / before if before and change is not None else None
    return CompareFigure(words[0], kind, is_part, before, after, change, share, words[1], "")


def _cause_rows(sides: Sequence[Report]) -> list[CompareFigure]:
    """A cause that took nothing on one side took 0 there, if a device was recorded."""
    idle = [None if side.idle is None else idle_by_cause_us(side, side.idle) for side in sides]
    causes = {cause for known in idle if known is not None for cause in known}
    rows = []
    for cause in sorted(causes, key=stacking_place):
        before, after = (None if known is None else known.get(cause, 0.0) for known in idle)
        rows.append(_row((cause_name(cause), ""), (before, after), is_part=True))
    return rows


def _idle_us(report: Report) -> float | None:
    """A mean over the devices."""
    idle_us = _mean(
        us(step.device_idle_ns) for step in steady_steps(report) if step.device_idle_ns is not None
    )
    devices = 1 if report.idle is None else max(len(report.idle.by_device), 1)
    return None if idle_us is None else idle_us / devices


def _waits_are_known(report: Report) -> bool:
    """Where no work of a device was recorded that it waits for none is not a figure to compare with."""
    return report.idle is not None or report.sync_points.count > 0


def _wait_us(report: Report) -> float | None:
    if not _waits_are_known(report):
        return None
    return _mean(us(step.wait_ns) for step in steady_steps(report))


def _sync_points(report: Report) -> float | None:
    if not _waits_are_known(report):
        return None
    return _mean(step.sync_points for step in steady_steps(report))


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return fmean(known) if known else None


def _planned_us(report: Report) -> float | None:
    """What its fix plan said that a step can save; None without one."""
    if not report.fix_plan:
        return None
    return us(report.fix_plan[-1].total_ns) / max(len(report.steps), 1)


_TIMES: Mapping[str, _Figure] = {
    "step": mean_step_us,
    "waits": _wait_us,
    COMMUNICATION: mean_communication_us,
    "idle": _idle_us,
}
"""Idle is the last: its causes come below it."""

_COUNTS: Mapping[str, _Figure] = {
    "sync_points": _sync_points,
    "kernels": mean_kernels,
    "launches": mean_launches,
}

_SHARES: Mapping[str, _Figure] = {
    "utilization": mean_utilization,
    "sm_efficiency": mean_sm_efficiency,
    "occupancy": mean_occupancy,
}
