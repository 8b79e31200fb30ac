"""The steps that stand for the window: those that are not cold."""

from __future__ import annotations

from statistics import fmean, median

from tbprof.model import Report, Step

_NS_PER_US = 1000


def marks_steps(report: Report) -> bool:
    """Whether the trace marks steps; else the whole window stands as one."""
    return not any(fact.code == "no_steps" for fact in report.trace.health)


def steady_steps(report: Report) -> tuple[Step, ...]:
    return tuple(step for step in report.steps if not step.cold)


def mean_step_us(report: Report) -> float | None:
    """None where the window has no steps."""
    steady = [step.length_ns / _NS_PER_US for step in steady_steps(report)]
    return fmean(steady) if steady else None


def typical_window_ns(report: Report) -> float:
    """The window as if each of its steps were a mean steady one; at least 1."""
    return max((mean_step_us(report) or 0.0) * _NS_PER_US * len(report.steps), 1.0)


def median_step_us(report: Report) -> float | None:
    """None where the window has no steps."""
    steady = [step.length_ns / _NS_PER_US for step in steady_steps(report)]
    return median(steady) if steady else None
