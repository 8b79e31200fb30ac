"""When a device could have done more, had the host come earlier: what bounds the saving of any wait.

A wait is not a cost: only a moment that the host can fill can be won by waiting less. Within the steps
these are, of the busiest device, the moments

- at which it was idle with nothing queued: the host was late;
- at which it did nothing but copy: a host that comes earlier lets a transfer run beside kernels;
- at which the stream that computed most neither ran nor had anything queued, whatever other streams
  did meanwhile: an all-reduce keeps a device busy, and the next layer could run beside it.

They count once where several hold. Of 1,000 simulated programs that were run again without any of their
waits no truth lies above this ceiling; above the empty idle alone lay one in ten.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.intervals import (
    NEVER,
    Intervals,
    complement,
    intersect,
    subtract,
    union,
    union_of,
)
from tbprof.analysis.communication.rows import is_communication
from tbprof.analysis.device.device_work import DeviceWork
from tbprof.analysis.events.steps import Steps
from tbprof.analysis.events.transfers import Transfers
from tbprof.analysis.idle.device_idle import IdlePieces
from tbprof.trace.columns.arrays import NONE
from tbprof.trace.columns.columns import Trace


def find_fillable(
    trace: Trace, work: DeviceWork, steps: Steps, idle: IdlePieces, transfers: Transfers
) -> Intervals:
    """Never without device work."""
    main = work.main_device
    if main is None:
        return NEVER
    inside = union(steps.gpu_start_ns, steps.gpu_end_ns)
    parts = (
        idle.empty[main],
        intersect(subtract(work.busy[main], transfers.computing[main]), inside),
        intersect(_stream_is_free(trace, work, steps, main), inside),
    )
    return union_of(parts)


def _stream_is_free(trace: Trace, work: DeviceWork, steps: Steps, device: int) -> Intervals:
    """When the stream that computed most neither ran nor had been given anything that it had not begun."""
    computes = work.is_kernel & ~is_communication(trace, work)
    mine = np.flatnonzero(computes & (work.device == device))
    length = np.bincount(work.place[mine], weights=(work.end_ns - work.start_ns)[mine], minlength=1)
    rows = (work.device == device) & (work.place == np.argmax(length))
    queued = rows & (work.launch != NONE)
    runs = union(work.start_ns[rows], work.end_ns[rows])
    taken = union_of((runs, union(work.launch_end_ns[queued], work.start_ns[queued])))
    return complement(taken, int(steps.gpu_start_ns.min()), int(steps.gpu_end_ns.max()))
