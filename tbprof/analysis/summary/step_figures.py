"""The steps of a window with what happened in each of them."""

from __future__ import annotations

from collections import Counter

import numpy as np

from tbprof.analysis.events.gpu_lag import gpu_lag_ns
from tbprof.analysis.facts import Facts
from tbprof.analysis.savings.step_savings import step_savings
from tbprof.analysis.summary.host_time import host_times
from tbprof.analysis.summary.kernel_counts import kernel_counts
from tbprof.model import Saving, Step
from tbprof.trace.columns.arrays import NONE, Int64s


def step_figures(facts: Facts, planned: Int64s, saving: Saving) -> tuple[Step, ...]:
    """One record a step, in the order of their starts.

    Args:
        facts: Of the window.
        planned: Positions of the episodes that the fix plan removes.
        saving: What it wins of the window.
    """
    steps = facts.steps
    lag = gpu_lag_ns(facts.work, steps)
    idle = list(facts.idle.by_device.values()) if facts.device_is_known else []
    copying = facts.parts.copying_ns(steps.gpu_start_ns, steps.gpu_end_ns)
    computing = facts.parts.computing_ns(steps.gpu_start_ns, steps.gpu_end_ns)
    communication = facts.parts.communication_exposed_ns(steps.gpu_start_ns, steps.gpu_end_ns)
    causes = _idle_by_cause(facts) if idle else [Counter()] * len(steps)
    hosts = host_times(facts) if facts.host_is_known else None
    savings = step_savings(facts, planned, saving)
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
    """Of each step: how many sync points begin in it, and how long they take."""
    episodes = facts.episodes
    counted = np.flatnonzero(episodes.blocking & (episodes.step != NONE))
    points, waits_ns = np.zeros((2, len(facts.steps)), np.int64)
    np.add.at(points, episodes.step[counted], 1)
    np.add.at(waits_ns, episodes.step[counted], episodes.wait_ns[counted])
    return points, waits_ns


def _idle_by_cause(facts: Facts) -> list[Counter[str]]:
    """Of each step, summed over the devices; causes that took nothing are left out."""
    totals: list[Counter[str]] = [Counter() for _ in facts.steps.names]
    for device in facts.idle.by_device:
        for cause, per_step in facts.causes.per_step_ns(device).items():
            for index, ns in enumerate(per_step.tolist()):
                if ns:
                    totals[index][cause] += ns
    return totals
