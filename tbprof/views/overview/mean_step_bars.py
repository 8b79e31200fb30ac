"""A mean steady step as the bars that it is drawn as: what the devices did, and the host."""

from __future__ import annotations

from tbprof.averages import fmean
from tbprof.model import HostTime, Report
from tbprof.views.base.steady import steady_steps
from tbprof.views.base.times import us
from tbprof.views.overview.overview import DeviceBar, HostBar


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
    """None where a steady step lacks it."""
    steady = steady_steps(report)
    hosts: list[HostTime] = [step.host for step in steady if step.host is not None]
    if not steady or len(hosts) < len(steady):
        return None
    launching, waiting, loading = (
        fmean(us(ns) for ns in column)
        for column in zip(*((h.launching_ns, h.waiting_ns, h.loading_ns) for h in hosts), strict=True)
    )
    total_us = fmean(us(step.duration_ns) for step in steady)
    return HostBar(launching, waiting, loading, max(total_us - launching - waiting - loading, 0.0))
