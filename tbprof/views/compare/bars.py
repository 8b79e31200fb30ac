"""Where the steps of two windows go, as two bars on one axis."""

from __future__ import annotations

from tbprof.model import Report
from tbprof.records import dataclass
from tbprof.texts.screens.idle import cause_name
from tbprof.views.overview.idle_causes import idle_by_cause_us, stacking_place
from tbprof.views.overview.mean_step_bars import device_bar
from tbprof.views.overview.overview import DeviceBar


@dataclass(frozen=True, slots=True)
class ComparedCause:
    cause: str
    name: str


@dataclass(frozen=True, slots=True)
class CompareBar:
    """Of one window: a mean steady step, in us; a mean over the devices."""

    step_us: float
    device: DeviceBar
    idle_us: tuple[float, ...]
    """One entry for each of the causes of both windows."""


@dataclass(frozen=True, slots=True)
class CompareBars:
    causes: tuple[ComparedCause, ...]
    """In the order in which they are stacked; causes that took nothing on both sides are left out."""
    longest_us: float
    before: CompareBar | None
    """Null where no device was recorded."""
    after: CompareBar | None


def compare_bars(before: Report, after: Report) -> CompareBars | None:
    """None where no device was recorded on either side."""
    idle = [_idle_us(side) for side in (before, after)]
    causes = sorted({*idle[0], *idle[1]}, key=stacking_place)
    bars = [_bar(side, causes, idle_us) for side, idle_us in zip((before, after), idle, strict=True)]
    longest_us = max((bar.step_us for bar in bars if bar is not None), default=None)
    if longest_us is None:
        return None
    named = tuple(ComparedCause(cause, cause_name(cause)) for cause in causes)
    return CompareBars(named, longest_us, bars[0], bars[1])


def _idle_us(report: Report) -> dict[str, float]:
    return {} if report.idle is None else idle_by_cause_us(report, report.idle)


def _bar(report: Report, causes: list[str], idle_us: dict[str, float]) -> CompareBar | None:
    device = device_bar(report)
    if device is None:
        return None
    step_us = device.computing_us + device.communication_us + device.copying_us + device.idle_us
    return CompareBar(step_us, device, tuple(idle_us.get(cause, 0.0) for cause in causes))
