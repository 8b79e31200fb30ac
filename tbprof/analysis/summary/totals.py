"""Sums over the window: sync points, and idle of all devices."""

from __future__ import annotations

from tbprof.analysis.facts import Facts
from tbprof.analysis.gaps.idle_places import idle_places
from tbprof.analysis.idle.device_idle import IdleOfDevice
from tbprof.analysis.idle.idle_causes import CAUSES
from tbprof.model import DeviceIdle, Idle, SyncTotals


def sync_totals(facts: Facts) -> SyncTotals:
    """Every sync point of the window, in a step or not, on whatever thread."""
    episodes, calls = facts.episodes, facts.calls
    points = episodes.blocking
    own = calls.profiler_own
    return SyncTotals(
        count=int(points.sum()),
        wait_ns=int(episodes.wait_ns[points].sum()),
        wait_in_copy_ns=int(episodes.copy_ns[points].sum()),
        wait_in_sync_ns=int(episodes.sync_ns[points].sum()),
        explained_ns=int(facts.awaited.explained_ns[points].sum()),
        profiler_own_ns=tuple((calls.end_ns - calls.start_ns)[own].tolist()),
        not_blocking_ns=int(episodes.wait_ns[~points].sum()),
    )


def idle_total(facts: Facts) -> Idle:
    """Idle of each device over all steps, and their sum, by cause and place."""
    by_device = {
        str(number): _sum(idle, facts.causes.total_ns(number))
        for number, idle in facts.idle.by_device.items()
    }
    parts = list(by_device.values())
    causes = [{cause: part.by_cause.get(cause, 0) for cause in CAUSES} for part in parts]
    total = DeviceIdle(
        device_ns=sum(part.device_ns for part in parts),
        empty_ns=sum(part.empty_ns for part in parts),
        queued_ns=sum(part.queued_ns for part in parts),
        by_cause={cause: ns for cause in CAUSES if (ns := sum(part[cause] for part in causes))},
    )
    return Idle(total, by_device, idle_places(facts))


def _sum(idle: IdleOfDevice, by_cause: dict[str, int]) -> DeviceIdle:
    return DeviceIdle(
        device_ns=int(idle.device_ns.sum()),
        empty_ns=int(idle.empty_ns.sum()),
        queued_ns=int(idle.queued_ns.sum()),
        by_cause=by_cause,
    )
