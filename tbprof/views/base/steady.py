"""Which steps stand for the window: those that are not cold."""

from __future__ import annotations

from tbprof.averages import fmean, median
from tbprof.model import Report, Step
from tbprof.views.base.times import us


def marks_steps(report: Report) -> bool:
    """Whether the trace marks steps; else the whole window stands as one."""
    return not any(fact.code == "no_steps" for fact in report.trace.health)


def steady_steps(report: Report) -> tuple[Step, ...]:
    return tuple(step for step in report.steps if not step.cold)


def mean_step_us(report: Report) -> float | None:
    """None where the window has no steps."""
    steady = [us(step.length_ns) for step in steady_steps(report)]
    return fmean(steady) if steady else None


def median_step_us(report: Report) -> float | None:
    """None where the window has no steps."""
    steady = [us(step.length_ns) for step in steady_steps(report)]
    return median(steady) if steady else None


def mean_communication_us(report: Report) -> float | None:
    """Of a step and device, with nothing computed beside it; None where no device was recorded."""
    devices = 0 if report.idle is None else len(report.idle.by_device)
    steady = steady_steps(report)
    exposed = [s.communication_exposed_ns for s in steady if s.communication_exposed_ns is not None]
    return us(sum(exposed)) / len(exposed) / devices if exposed and devices else None


def mean_kernels(report: Report) -> float | None:
    """Of a step; None where no launch was recorded."""
    known = [step.kernels for step in steady_steps(report) if step.kernels is not None]
    return fmean(known) if known else None


def mean_launches(report: Report) -> float | None:
    """Of a step, the calls that launched its kernels; None where none was recorded."""
    known = [step.launches for step in steady_steps(report) if step.launches is not None]
    return fmean(known) if known else None
