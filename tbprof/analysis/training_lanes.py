"""Which host threads make the training wait when they wait.

They are the thread that carries the steps and the threads that run autograd: the two hand
over to each other and never work at once. In a trace without steps the thread with most
launches stands for the first. Waits of all others (a pin thread, a checkpoint writer) hold
up nobody.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.device_work import NO_LAUNCH, DeviceWork
from tbprof.analysis.names import matching_rows
from tbprof.analysis.steps import Steps
from tbprof.trace.columns import Category, Trace

__all__ = ["find_training_lanes"]

_AUTOGRAD = r"autograd::engine::evaluate_function"


def find_training_lanes(trace: Trace, work: DeviceWork, steps: Steps) -> tuple[int, ...]:
    """Indices into `Trace.lanes`, ascending."""
    backward = matching_rows(trace, _AUTOGRAD, Category.CPU_OP)
    lanes = set(np.unique(trace.slices.lane[backward]).tolist()) | set(steps.lanes)
    if not steps.recorded:
        launches = work.launch[work.launch != NO_LAUNCH]
        if len(launches):
            lane, count = np.unique(trace.slices.lane[launches], return_counts=True)
            lanes.add(int(lane[np.argmax(count)]))
    return tuple(sorted(lanes))
