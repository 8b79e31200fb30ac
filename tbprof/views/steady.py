"""Figures of the steps that stand for the window: those that are not cold."""

from __future__ import annotations

from dataclasses import fields
from statistics import fmean
from typing import Any, TypeVar, cast

from tbprof.judge.steady_steps import steady_steps
from tbprof.model import Report


def mean_communication_us(report: Report) -> float | None:
    """The communication of a step and device, with nothing computed beside it; None where no device was
    recorded.
    """
    devices = 0 if report.idle is None else len(report.idle.by_device)
    steady = steady_steps(report)
    exposed = [s.communication_exposed_ns for s in steady if s.communication_exposed_ns is not None]
    return us(sum(exposed)) / len(exposed) / devices if exposed and devices else None


def mean_kernels(report: Report) -> float | None:
    """The kernels of a step; None where no launch was recorded."""
    known = [step.kernels for step in steady_steps(report) if step.kernels is not None]
    return fmean(known) if known else None


def mean_launches(report: Report) -> float | None:
    """The calls of a step that launched its kernels; None where none was recorded."""
    known = [step.launches for step in steady_steps(report) if step.launches is not None]
    return fmean(known) if known else None


def mean_utilization(report: Report) -> float | None:
    """The share of the time in which a kernel ran, as a mean over the devices; None where none did."""
    return _mean_of([use.utilization for use in report.gpu_use])


def mean_sm_efficiency(report: Report) -> float | None:
    """The same of the multiprocessors that had work."""
    return _mean_of([use.sm_efficiency for use in report.gpu_use if use.sm_efficiency is not None])


def mean_occupancy(report: Report) -> float | None:
    """The same of the threads that kernels could hold."""
    return _mean_of([use.occupancy for use in report.gpu_use if use.occupancy is not None])


def _mean_of(values: list[float]) -> float | None:
    return fmean(values) if values else None


_Row = TypeVar("_Row")
_US, _NS = "_us", "_ns"


def row_of(row: type[_Row], record: object, **added: object) -> _Row:
    """The row of a record.

    Args:
        row: A field of it is the record's of the same name; of `wait_us` that is `wait_ns`.
        record: One of the model.
        added: The fields that the record has not, or not in this form.

    Raises:
        AttributeError: The row has a field that is neither the record's nor added.
    """
    taken: dict[str, Any] = {}
    for field in fields(cast("Any", row)):
        if field.name in added:
            continue
        in_ns = field.name.removesuffix(_US) + _NS
        is_time = field.name.endswith(_US) and hasattr(record, in_ns)
        taken[field.name] = in_us(getattr(record, in_ns)) if is_time else getattr(record, field.name)
    return row(**taken, **added)


_NS_PER_US = 1000
_BEFORE_PYTORCH_NS = 1_420_070_400 * 10**9
"""The begin of 2015: archives give files the times 1970 and 1980."""
_AHEAD_NS = 24 * 3600 * 10**9
"""The most that the clocks of two machines differ, so that a time zone too many is no fault."""


def us(ns: int) -> float:
    """Exact to the ns: three decimals."""
    return ns / _NS_PER_US


def optional_us(ns: int | None) -> float | None:
    """A time that was not recorded stays None."""
    return None if ns is None else us(ns)


def in_us(value: Any) -> Any:
    """A time, or a row of times; one that was not recorded stays None."""
    if isinstance(value, tuple):
        return tuple(us(ns) for ns in value)
    return optional_us(value)


def is_credible(time_ns: int, now_ns: int) -> bool:
    """Whether something can have been recorded then.

    Names and times of files are written by whoever may write there: by clocks that are wrong as well.
    """
    return _BEFORE_PYTORCH_NS < time_ns < now_ns + _AHEAD_NS
