"""Two windows beside each other: before and after a change, two runs, two ranks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from tbprof.model import Report
from tbprof.views.answer import Problem
from tbprof.views.compare_sites import CompareSite, compare_sites, moved_wait
from tbprof.views.compare_steps import CompareSteps, compare_steps, is_told, mean_step_us
from tbprof.views.idle_causes import stacking_place
from tbprof.views.sentences import Sentences
from tbprof.views.steady import steady_steps
from tbprof.views.times import us

__all__ = ["CompareAnswer", "CompareFigure", "CompareView", "Difference", "compare_view"]

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
    steps: CompareSteps | None
    """Null where one of the windows has no steady step."""
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
    steps = compare_steps(before, after, sentences)
    moved = moved_wait(sites)
    return CompareView(
        verdict=sentences.nothing_to_compare() if steps is None else _verdict(steps, sentences),
        detail="" if moved is None else sentences.moved_wait(moved.source, moved.target, moved.net_us),
        steps=steps,
        figures=_figures(before, after, sentences),
        differences=_differences(before, after),
        sites=sites,
    )


def _verdict(steps: CompareSteps, sentences: Sentences) -> str:
    lengths = (steps.before.middle_us, steps.after.middle_us)
    return sentences.compared(*lengths, is_told=is_told(steps), is_unprofiled=steps.is_unprofiled)


def _figures(before: Report, after: Report, sentences: Sentences) -> tuple[CompareFigure, ...]:
    sides = (before, after)
    steady = [steady_steps(side) for side in sides]
    rows = [
        CompareFigure("Step", True, *(mean_step_us(side) for side in sides)),
        CompareFigure("GPU idle", True, *(_idle_us(side) for side in sides)),
    ]
    causes = {cause for steps in steady for step in steps for cause in step.idle_by_cause}
    rows += [
        CompareFigure(sentences.cause(cause), True, *(_cause_us(side, cause) for side in sides))
        for cause in sorted(causes, key=stacking_place)
    ]
    waits = (_per_step(side, us(sum(step.wait_ns for step in steady_steps(side)))) for side in sides)
    points = (_per_step(side, sum(step.sync_points for step in steady_steps(side))) for side in sides)
    return (
        *rows,
        CompareFigure("Host waits", True, *waits),
        CompareFigure("Sync points", False, *points),
        CompareFigure("Kernels", False, *(_mean(step.kernels for step in steps) for steps in steady)),
        CompareFigure("Launches", False, *(_mean(step.launches for step in steps) for steps in steady)),
    )


def _mean(counts: Iterable[int | None]) -> float | None:
    """Of those steps that have it recorded."""
    known = [count for count in counts if count is not None]
    return fmean(known) if known else None


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
