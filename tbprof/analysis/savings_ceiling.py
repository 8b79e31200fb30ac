"""The most that fewer waits can win, whatever a replay says.

No more than the waits themselves, and no more than the time that the busiest device left unused:
when it was idle with an empty queue, and when it did nothing but copy on streams that only copy.
Such a copy is exposed, since kernels could have run beside it: a host that comes earlier hides it
behind the work before. (On simulated trainings that prefetch their input the empty idle alone was
too low a bound for one in eight savings of all waits together.)
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.device_idle import IdlePieces
from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.intervals import complement, intersect, total_ns, union
from tbprof.analysis.steps import Steps
from tbprof.trace.columns import Category, Trace

__all__ = ["exposed_transfer_ns", "unused_ns"]


def unused_ns(trace: Trace, work: DeviceWork, idle: IdlePieces) -> int:
    """Empty idle of the busiest device over all steps, and its exposed transfers."""
    main = work.main_device
    if main is None:
        return 0
    return int(idle.by_device[main].empty_ns.sum()) + exposed_transfer_ns(trace, work, idle.steps, main)


def exposed_transfer_ns(trace: Trace, work: DeviceWork, steps: Steps, device: int) -> int:
    """How long, within the steps, a device only copied, on streams that run no kernels."""
    mine = work.device == device
    is_kernel = trace.slices.category[work.rows] == Category.KERNEL
    copies_only = mine & ~np.isin(work.stream, np.unique(work.stream[mine & is_kernel]))
    if not copies_only.any() or not is_kernel.any():
        return 0
    copying, other = work.busy_of(copies_only), work.busy_of(mine & ~copies_only)
    reach = int(work.start_ns.min()), int(work.end_ns.max())
    exposed = intersect(copying, complement(other, *reach))
    return total_ns(intersect(exposed, union(steps.start_ns, steps.end_ns)))
