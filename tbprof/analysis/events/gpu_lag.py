"""How far the device's work of a step ends after the step's end on the host."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.device.device_work import DeviceWork
from tbprof.analysis.events.steps import Steps
from tbprof.trace.columns.arrays import NONE, Int64s


def gpu_lag_ns(work: DeviceWork, steps: Steps) -> Int64s | None:
    """One figure a step, 0 where its work ended in time; None without recorded steps or launches.

    Work belongs to the step that holds the start of the call that launched it.
    """
    known = work.launch != NONE
    if not steps.recorded or not known.any():
        return None
    step = steps.index_of(work.launch_start_ns[known])
    end = work.end_ns[known]
    last = steps.end_ns.copy()
    inside = step != NONE
    np.maximum.at(last, step[inside], end[inside])
    lag: Int64s = last - steps.end_ns
    return lag


def lag_in_steps(share: float) -> dict[str, float]:
    """How late that is, of a step on the host: as a share of it, or as a number of steps where it is more."""
    return {"worst_share": share} if share <= 1 else {"worst_steps": share}
