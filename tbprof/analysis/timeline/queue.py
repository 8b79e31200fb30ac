"""How much work was queued: launched, that is, its call had returned, and not started yet."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.intervals import Intervals, overlap_ns
from tbprof.analysis.device.device_work import DeviceWork
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s


@dataclass(frozen=True, slots=True, eq=False)
class QueueDepth:
    """A number that changes at instants; before the first it is 0."""

    time_ns: Int64s
    """Ascending, each once."""
    depth: Int64s
    """From that instant on."""
    queued: Intervals
    """When it is not 0."""

    @property
    def peak(self) -> int:
        return int(self.depth.max(initial=0))

    def at(self, instant_ns: int) -> int:
        before = int(np.searchsorted(self.time_ns, instant_ns, side="right")) - 1
        return int(self.depth[before]) if before >= 0 else 0

    def in_buckets(self, edges_ns: Int64s) -> tuple[Int64s, Int64s]:
        """Between each two neighbors of `edges_ns` the most that was queued, and how long nothing was."""
        first = np.searchsorted(self.time_ns, edges_ns, side="left")
        # Entry i is what was queued until change i; so a bucket has those from its first change
        # to the one after its last, both included.
        until = np.concatenate([np.zeros(1, np.int64), self.depth])
        most = np.maximum(np.maximum.reduceat(until[: first[-1] + 1], first)[:-1], until[first[1:]])
        start, end = edges_ns[:-1], edges_ns[1:]
        return most, (end - start) - overlap_ns(self.queued, start, end)


def queue_depth(work: DeviceWork, device: int) -> QueueDepth:
    """Of one device, over all its streams."""
    mine = (work.launch != NONE) & (work.device == device) & (work.start_ns > work.launch_end_ns)
    times = np.concatenate([work.launch_end_ns[mine], work.start_ns[mine]])
    moves = np.repeat(np.array([1, -1], np.int64), int(mine.sum()))
    instants, which = np.unique(times, return_inverse=True)
    change = np.bincount(which.reshape(-1), weights=moves, minlength=len(instants)).astype(np.int64)
    return QueueDepth(instants, np.cumsum(change), work.queued[device])
