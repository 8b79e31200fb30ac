"""One line about a window, for the log of the training that it was recorded in."""

from __future__ import annotations

from tbprof.model import Idle, IdlePlace, Report
from tbprof.texts.figures.quantities import share

__all__ = ["window_line"]

_GPU_UNSEEN = ("gpu_not_recorded", "gpu_work_lost")

_MOST = 0.5
"""A place with more than this part of the idle has most of it."""


def window_line(report: Report) -> str:
    """`window 3: GPU idle 28 %, most of it after train.py:56`.

    It begins with `empty window` where the GPU that is there is not in it.
    """
    window = "window" if report.facts is None else f"window {report.facts.window}"
    if report.idle is None:
        missing = next((fact for fact in report.trace.health if fact.code in _GPU_UNSEEN), None)
        said = f"{window}: no GPU work was recorded"
        return said if missing is None else f"empty {said}, though torch sees the GPU: tbprof doctor says why"
    steps_ns = sum(step.length_ns for step in report.steps) * len(report.idle.by_device)
    line = f"{window}: GPU idle {share(report.idle.total.device_ns / max(steps_ns, 1))}"
    where = _where(report, report.idle)
    return f"{line}, most of it {where}" if where else line


def _where(report: Report, idle: Idle) -> str:
    """The place of more than half of the idle; "" where there is none."""
    for place in idle.places:
        if place.idle_ns > _MOST * idle.total.device_ns:
            return _name(report, place)
    return ""


def _name(report: Report, place: IdlePlace) -> str:
    source = None if place.site is None else report.sites[place.site].source
    if source is not None:
        return f"after {source.file}" + (f":{source.line}" if source.line is not None else "")
    if place.site is not None:
        ops = report.sites[place.site].ops
        return f"after {ops[-1]}" if ops else "after a synchronise"
    return f"in {place.place}" if place.place else ""
