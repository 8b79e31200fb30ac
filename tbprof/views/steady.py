"""Which steps stand for the window: those that are not cold."""

from __future__ import annotations

from statistics import median

from tbprof.model import Report, Step
from tbprof.views.times import us

__all__ = ["median_step_us", "steady_steps"]


def steady_steps(report: Report) -> tuple[Step, ...]:
    return tuple(step for step in report.steps if not step.cold)


def median_step_us(report: Report) -> float | None:
    """None where the window has no steps."""
    steady = [us(step.duration_ns) for step in steady_steps(report)]
    return median(steady) if steady else None
