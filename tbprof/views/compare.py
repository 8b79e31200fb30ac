"""Two windows beside each other: before and after a change, two runs, two ranks."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import fmean
from typing import Literal

from tbprof.model import Report
from tbprof.views.answer import Problem
from tbprof.views.compare_sites import CompareSite, compare_sites, moved_to
from tbprof.views.idle_causes import stacking_place
from tbprof.views.sentences import Sentences
from tbprof.views.steady import steady_steps
from tbprof.views.times import us

__all__ = ["CompareAnswer", "CompareFigure", "CompareView", "Difference", "compare_view"]

_LEAST_CHANGE = 0.02
"""A step that changed by less did not."""

_NOISE_FACTOR = 3
"""A step changed where it did by so many times the noise of its mean."""


@dataclass(frozen=True, slots=True)
class CompareFigure:
    """Of a steady step; null is not recorded."""

    name: str
    is_time: bool
    """In us; else a count."""
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True)
class Difference:
    """Something beside the program that is not the same."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class CompareView:
    verdict: str
    detail: str
    figures: tuple[CompareFigure, ...]
    differences: tuple[Difference, ...]
    sites: tuple[CompareSite, ...]
    """Gone, new, changed, same; in each the longest waits first."""


@dataclass(frozen=True, slots=True)
class CompareAnswer:
    state: Literal["ready", "reading", "broken"]
    view: CompareView | None
    problem: Problem | None


def compare_view(before: Report, after: Report, sentences: Sentences) -> CompareView:
    """What is different in `after`."""
    sites = compare_sites(before, after, sentences)
    verdict, detail = sentences.compared(
        _step_us(before), _step_us(after), is_told=_is_told(before, after), moved_to=moved_to(sites)
    )
    return CompareView(
        verdict=verdict,
        detail=detail,
        figures=_figures(before, after, sentences),
        differences=_differences(before, after),
        sites=sites,
    )


def _step_us(report: Report) -> float | None:
    steady = steady_steps(report)
    return fmean(us(step.duration_ns) for step in steady) if steady else None


def _is_told(before: Report, after: Report) -> bool:
    """Whether the step changed by more than its own noise; with one step each nothing can tell."""
    lengths = [[us(step.duration_ns) for step in steady_steps(report)] for report in (before, after)]
    if any(len(steps) < 2 for steps in lengths):
        return False
    means = [fmean(steps) for steps in lengths]
    noise = max(
        fmean(abs(step - mean) for step in steps) / sqrt(len(steps))
        for steps, mean in zip(lengths, means, strict=True)
    )
    change = abs(means[1] - means[0])
    return change > max(_NOISE_FACTOR * noise, _LEAST_CHANGE * means[0])


def _figures(before: Report, after: Report, sentences: Sentences) -> tuple[CompareFigure, ...]:
    sides = (before, after)
    rows = [
        CompareFigure("Step", True, *(_step_us(side) for side in sides)),
        CompareFigure("GPU idle", True, *(_idle_us(side) for side in sides)),
    ]
    causes = {cause for side in sides for step in steady_steps(side) for cause in step.idle_by_cause}
    rows += [
        CompareFigure(sentences.cause(cause), True, *(_cause_us(side, cause) for side in sides))
        for cause in sorted(causes, key=stacking_place)
    ]
    waits = (_per_step(side, us(sum(step.wait_ns for step in steady_steps(side)))) for side in sides)
    points = (_per_step(side, sum(step.sync_points for step in steady_steps(side))) for side in sides)
    return (*rows, CompareFigure("Host waits", True, *waits), CompareFigure("Sync points", False, *points))


def _per_step(report: Report, total: float) -> float:
    return total / max(len(steady_steps(report)), 1)


def _devices(report: Report) -> int:
    return 1 if report.idle is None else max(len(report.idle.by_device), 1)


def _idle_us(report: Report) -> float | None:
    idle = [step.device_idle_ns for step in steady_steps(report) if step.device_idle_ns is not None]
    return us(sum(idle)) / len(idle) / _devices(report) if idle else None


def _cause_us(report: Report, cause: str) -> float | None:
    if report.idle is None:
        return None
    total = sum(step.idle_by_cause.get(cause, 0) for step in steady_steps(report))
    return _per_step(report, us(total)) / _devices(report)


def _differences(before: Report, after: Report) -> tuple[Difference, ...]:
    """What was recorded on both sides and is not equal."""
    sides = [_conditions(report) for report in (before, after)]
    names = [name for name in sides[0] if name in sides[1] and sides[0][name] != sides[1][name]]
    return tuple(Difference(name, sides[0][name], sides[1][name]) for name in names)


def _conditions(report: Report) -> dict[str, str]:
    facts = report.facts
    known: dict[str, str | None] = {
        "devices": ", ".join(report.trace.devices) or None,
        "ranks": None if report.trace.world_size is None else str(report.trace.world_size),
    }
    if facts is not None:
        known |= {
            "torch": facts.torch_version,
            "CUDA or HIP": facts.cuda_version,
            "driver": facts.driver_version,
            "commit": facts.git_commit,
            "recorded": ", ".join(name for name, on in facts.options.items() if on) or "nothing extra",
            **facts.settings,
            **facts.environment,
        }
    return {name: value for name, value in known.items() if value is not None}
