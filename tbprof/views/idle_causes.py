"""Why the GPU was idle in a steady step, and where."""

from __future__ import annotations

from statistics import fmean

from tbprof.judge.steady_steps import steady_steps
from tbprof.judge.unjudged_words import NoDevice
from tbprof.model import HostTime, Idle, IdlePlace, Report, Step
from tbprof.texts.idle import cause_name, drain_sentence, place_name
from tbprof.views.overview import CauseRow, DeviceBar, HostBar, PlaceRow, StepStack
from tbprof.views.steady import us

STACKING = (
    "sync",
    "data",
    "launch",
    "garbage_collection",
    "staging",
    "loading",
    "allocator",
    "collective",
    "another_device",
    "compile",
    "unrecorded",
    "profiler",
    "unknown",
    "queued",
)
"""The order of causes wherever they are drawn or listed; one of another version comes last."""

MAX_PLACES = 3
"""The most places of each cause; a report holds the largest of all causes."""


def cause_rows(report: Report, idle: Idle) -> tuple[CauseRow, ...]:
    """Means of the steady steps and over the devices; none if the report has no causes by step."""
    steady = steady_steps(report)
    step_us = us(sum(step.length_ns for step in steady)) / max(len(steady), 1)
    return tuple(
        CauseRow(
            cause=cause,
            name=cause_name(cause),
            idle_us=idle_us,
            share_of_step=idle_us / max(step_us, 0.001),
            places=_places(report, idle, cause),
        )
        for cause, idle_us in idle_by_cause_us(report, idle).items()
    )


def idle_by_cause_us(report: Report, idle: Idle) -> dict[str, float]:
    """The idle of a mean steady step and device, in the order in which causes are stacked."""
    steady = steady_steps(report)
    found = {cause for step in steady for cause in step.idle_by_cause}
    parts = max(len(steady) * len(idle.by_device), 1)
    return {
        cause: us(sum(_of_cause(step, cause) for step in steady)) / parts
        for cause in sorted(found, key=stacking_place)
    }


def step_stack(step: Step, causes: tuple[CauseRow, ...], devices: int) -> StepStack:
    """A step as it is drawn in the strip of steps; `devices` is at least 1."""
    idle_ns = 0 if step.device_idle_ns is None else step.device_idle_ns
    copying_ns = 0 if step.copying_ns is None else step.copying_ns
    exposed_ns = step.communication_exposed_ns or 0
    computing_ns = step.length_ns * devices - idle_ns - copying_ns - exposed_ns
    return StepStack(
        name=step.name,
        cold=step.cold,
        duration_us=us(step.length_ns),
        computing_us=us(computing_ns) / devices,
        communication_us=us(exposed_ns) / devices,
        copying_us=us(copying_ns) / devices,
        idle_us=tuple(us(_of_cause(step, row.cause)) / devices for row in causes),
    )


def stacking_place(cause: str) -> tuple[int, str]:
    """Sorts causes into the order of `STACKING`."""
    return STACKING.index(cause) if cause in STACKING else len(STACKING), cause


def _of_cause(step: Step, cause: str) -> int:
    return step.idle_by_cause.get(cause, 0)


def _places(report: Report, idle: Idle, cause: str) -> tuple[PlaceRow, ...]:
    mine = [place for place in idle.places if place.cause == cause][:MAX_PLACES]
    total_ns = idle.total.by_cause.get(cause, 0)
    return tuple(_place(report, place, total_ns) for place in mine)


def _place(report: Report, place: IdlePlace, total_ns: int) -> PlaceRow:
    opened = None if place.site is None else report.sites[place.site]
    drain = None if place.drained_by is None else report.sites[place.drained_by]
    return PlaceRow(
        text=place_name(place, opened),
        because="" if drain is None or place.drained_by == place.site else drain_sentence(drain),
        site=place.site if place.drained_by is None else place.drained_by,
        share_of_cause=place.idle_ns / max(total_ns, 1),
    )


def device_bar(report: Report) -> DeviceBar | None:
    """A mean over the devices; None where none was recorded, or by a version that kept less."""
    steady = steady_steps(report)
    devices = 0 if report.idle is None else len(report.idle.by_device)
    copying = [step.copying_ns for step in steady if step.copying_ns is not None]
    idle = [step.device_idle_ns for step in steady if step.device_idle_ns is not None]
    if not steady or not devices or len(copying) < len(steady) or len(idle) < len(steady):
        return None
    exposed = [step.communication_exposed_ns or 0 for step in steady]
    total_us, parts = fmean(us(step.length_ns) for step in steady), len(steady) * devices
    communication_us, copying_us, idle_us = (us(sum(column)) / parts for column in (exposed, copying, idle))
    computing_us = total_us - communication_us - copying_us - idle_us
    return DeviceBar(computing_us, communication_us, copying_us, idle_us)


def host_bar(report: Report) -> HostBar | None:
    """None where a steady step lacks it; without a GPU what the host waits for is its collectives."""
    steady = steady_steps(report)
    hosts: list[HostTime] = [step.host for step in steady if step.host is not None]
    if not steady or len(hosts) < len(steady):
        return None
    launching, waiting, loading = (
        fmean(us(ns) for ns in column)
        for column in zip(*((h.launching_ns, h.waiting_ns, h.loading_ns) for h in hosts), strict=True)
    )
    total_us = fmean(us(step.duration_ns) for step in steady)
    figures = None if report.verdict is None else report.verdict.figures
    if isinstance(figures, NoDevice) and figures.exposed_share is not None:
        waiting = min(figures.exposed_share * total_us, max(total_us - launching - loading, 0.0))
    return HostBar(launching, waiting, loading, max(total_us - launching - waiting - loading, 0.0))
