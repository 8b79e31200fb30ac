"""How much of a window its devices did nothing, or computed nothing."""

from __future__ import annotations

from tbprof.judge.steady_steps import steady_steps
from tbprof.model import Report


def idle_share(report: Report) -> float | None:
    """The part of the steps in which the devices were idle; None where no GPU work was recorded.

    As in the verdict the steps are those that are not cold, if there are any.
    """
    if report.idle is None:
        return None
    steps = steady_steps(report) or report.steps
    devices_ns = sum(step.length_ns for step in steps) * len(report.idle.by_device)
    return sum(step.device_idle_ns or 0 for step in steps) / max(devices_ns, 1)


def lost_share(report: Report) -> float:
    """The part of the steps in which the devices computed nothing; 0 where no GPU work was recorded."""
    if report.idle is None:
        return 0.0
    beside_ns = sum((step.copying_ns or 0) + (step.communication_exposed_ns or 0) for step in report.steps)
    return (report.idle.total.device_ns + beside_ns) / max(report.devices_ns, 1)
