"""The steps of a window with what happened in each of them.

What the training threads did during each step: waiting, loading data, launching, or other things.

A moment that is several of them is the first: a read inside an op is a wait.

What holds of the figures of every report, whatever a trace holds; here for all findings at once.

A share is a part of something: it lies between 0 and 1. No saving is more than the window, nor that of a step
more than the step. Where each figure is made it holds for traces of sound recordings; of those that deny
themselves, by clocks that drift or rows that overlap, durations can add up to more than there was.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence

import numpy as np

from tbprof.analysis.device_idle import CAUSES, IdleOfDevice
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.idle_places import idle_places
from tbprof.analysis.figures.savings import step_savings
from tbprof.analysis.host_states import HostLanes, waiting
from tbprof.analysis.intervals import overlap_ns, subtract
from tbprof.analysis.steps import gpu_lag_ns
from tbprof.model import Check, DeviceIdle, Finding, HostTime, Idle, Saving, Step, SyncTotals
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct
from tbprof.trace.columns.columns import Category


def step_figures(facts: Facts, planned: Int64s, saving: Saving, hoisted: Int64s) -> tuple[Step, ...]:
    """One record a step, in the order of their starts.

    Args:
        facts: Of the window.
        planned: Positions of the episodes that the fix plan removes.
        saving: What it wins of the window.
        hoisted: Those of the episodes whose lines it moves out of the step.
    """
    steps = facts.steps
    lag = gpu_lag_ns(facts.work, steps)
    idle = list(facts.idle.by_device.values()) if facts.device_is_known else []
    copying = facts.parts.copying_ns(steps.gpu_start_ns, steps.gpu_end_ns)
    computing = facts.parts.computing_ns(steps.gpu_start_ns, steps.gpu_end_ns)
    communication = facts.parts.communication_exposed_ns(steps.gpu_start_ns, steps.gpu_end_ns)
    causes = _idle_by_cause(facts) if idle else [Counter()] * len(steps)
    hosts = host_times(facts) if facts.host_is_known else None
    savings = step_savings(facts, planned, saving, hoisted)
    counts = kernel_counts(facts) if idle else None
    points, waits_ns = _waits(facts)
    durations_ns = steps.duration_ns
    rows = []
    for index, name in enumerate(steps.names):
        rows.append(
            Step(
                name=name,
                start_ns=int(steps.start_ns[index]) - facts.origin_ns,
                duration_ns=int(steps.end_ns[index] - steps.start_ns[index]),
                cold=steps.cold[index],
                sync_points=int(points[index]),
                wait_ns=int(waits_ns[index]),
                device_idle_ns=sum(int(d.device_ns[index]) for d in idle) if idle else None,
                idle_empty_ns=sum(int(d.empty_ns[index]) for d in idle) if idle else None,
                gpu_lag_ns=None if lag is None else int(lag[index]),
                copying_ns=int(copying[index]) if idle else None,
                idle_by_cause=causes[index],
                host=None if hosts is None else hosts[index],
                saving=savings[index] if idle else None,
                kernels=None if counts is None else int(counts.kernels[index]),
                launches=None if counts is None else int(counts.launches[index]),
                gpu_duration_ns=int(durations_ns[index]) if idle else None,
                computing_ns=int(computing[index]) if idle else None,
                communication_exposed_ns=int(communication[index]) if idle else None,
            )
        )
    return tuple(rows)


def _waits(facts: Facts) -> tuple[Int64s, Int64s]:
    """How many sync points begin in each step, and how long they take."""
    episodes = facts.episodes
    counted = np.flatnonzero(episodes.blocking & (episodes.step != NONE))
    points, waits_ns = np.zeros((2, len(facts.steps)), np.int64)
    np.add.at(points, episodes.step[counted], 1)
    np.add.at(waits_ns, episodes.step[counted], episodes.wait_ns[counted])
    return points, waits_ns


def _idle_by_cause(facts: Facts) -> list[Counter[str]]:
    """The idle of each step, summed over the devices; causes that took nothing are left out."""
    totals: list[Counter[str]] = [Counter() for _ in facts.steps.names]
    for device in facts.idle.by_device:
        for cause, per_step in facts.causes.per_step_ns(device).items():
            for index, ns in enumerate(per_step.tolist()):
                if ns:
                    totals[index][cause] += ns
    return totals


def host_times(facts: Facts) -> tuple[HostTime, ...]:
    """One record a step. The training threads hand over to each other and count as one."""
    lanes, steps = _lanes(facts), facts.steps
    waits = waiting(lanes, facts.episodes)
    loading = subtract(facts.causes.states["data"], waits)
    launching = subtract(subtract(lanes.in_torch, waits), loading)
    spent = [
        overlap_ns(state, steps.start_ns, steps.end_ns).tolist() for state in (waits, loading, launching)
    ]
    return tuple(HostTime(*of_step) for of_step in zip(*spent, strict=True))


def _lanes(facts: Facts) -> HostLanes:
    """The lanes of the training threads; where none trains, as in inference on the CPU, of all that run
    ops.
    """
    if facts.training_threads:
        return facts.host_lanes
    slices = facts.trace.slices
    return HostLanes(facts.trace, tuple(distinct(slices.lane[slices.category == Category.CPU_OP]).tolist()))


@dataclass(frozen=True, slots=True, eq=False)
class KernelCounts:
    """One entry a step."""

    kernels: Int64s
    launches: Int64s
    """Fewer than kernels where a call starts a whole graph of them."""


def kernel_counts(facts: Facts) -> KernelCounts | None:
    """Counts by step, None where no launch of a kernel was recorded.

    A kernel belongs to the step that holds the start of the call that launched it, whatever
    the thread; one whose call is not in the trace belongs to none.
    """
    slices, work, steps = facts.trace.slices, facts.work, facts.steps
    launch = work.launch[work.launched_kernels]
    if len(launch) == 0:
        return None

    def per_step(calls: Int64s) -> Int64s:
        step = steps.index_of(slices.start_ns[calls])
        counts: Int64s = np.bincount(step[step != NONE], minlength=len(steps.names))
        return counts

    return KernelCounts(kernels=per_step(launch), launches=per_step(distinct(launch)))


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


def findings_within(findings: Sequence[Finding], window_ns: int) -> tuple[Finding, ...]:
    """The same, each within a window of this length."""
    return tuple(
        dataclasses.replace(
            finding,
            saving=None if finding.saving is None else finding.saving.at_most(window_ns),
            figures=finding.figures.with_bounded_shares(),
        )
        for finding in findings
    )


def checks_within(checks: Sequence[Check]) -> tuple[Check, ...]:
    """The same, of what the rules looked at that found nothing."""
    return tuple(
        check
        if check.figures is None
        else dataclasses.replace(check, figures=check.figures.with_bounded_shares())
        for check in checks
    )
