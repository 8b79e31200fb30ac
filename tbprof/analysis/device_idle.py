"""When the devices were idle inside the steps, split by the state of their queues.

Idle of a step is its `[start, end)` minus the device's busy union. A moment of it is
*queued* if something launched by then had not started yet (the host was not late), else
*empty*: only empty idle can be won back by removing waits.

Why a device was idle: every moment of it has exactly one cause.

`queued` comes first (recorded work was queued), then those of `EMPTY_CAUSES`, in their order; what
none of them holds is `unknown` (no host rows there, or no launches that are tied to the device's work).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.intervals import Intervals, complement, intersect, overlap_ns, subtract, union
from tbprof.analysis.steps import Steps
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int64s


@dataclass(frozen=True, slots=True, eq=False)
class IdleOfDevice:
    """Idle of one device, one entry a step."""

    device_ns: Int64s
    empty_ns: Int64s

    @property
    def queued_ns(self) -> Int64s:
        return self.device_ns - self.empty_ns


@dataclass(frozen=True, eq=False)
class IdlePieces:
    """Idle of every device that ran something; empty where none did."""

    work: DeviceWork
    steps: Steps

    @cached_property
    def gaps(self) -> dict[int, Intervals]:
        """The moments within the steps at which each device was idle, by device."""
        return {device: self._idle(busy) for device, busy in self.work.busy.items()}

    @cached_property
    def empty(self) -> dict[int, Intervals]:
        """The part of each device's gaps in which nothing was queued, by device."""
        return {
            device: intersect(pieces, complement(self.work.queued[device], *self._reach))
            for device, pieces in self.gaps.items()
        }

    @cached_property
    def by_device(self) -> dict[int, IdleOfDevice]:
        start, end = self.steps.gpu_start_ns, self.steps.gpu_end_ns
        return {
            device: IdleOfDevice(
                device_ns=(end - start) - overlap_ns(busy, start, end),
                empty_ns=overlap_ns(self.empty[device], start, end),
            )
            for device, busy in self.work.busy.items()
        }

    def _idle(self, busy: Intervals) -> Intervals:
        inside = union(self.steps.gpu_start_ns, self.steps.gpu_end_ns)
        return intersect(complement(busy, *self._reach), inside)

    @cached_property
    def _reach(self) -> tuple[int, int]:
        """One interval from before everything to after everything."""
        start = np.concatenate([self.steps.gpu_start_ns, self.work.start_ns])
        end = np.concatenate([self.steps.gpu_end_ns, self.work.end_ns])
        return int(start.min()), int(end.max())


def find_idle(work: DeviceWork, steps: Steps) -> IdlePieces:
    """Nothing is computed until it is asked for."""
    return IdlePieces(work, steps)


EMPTY_CAUSES = (
    "garbage_collection",
    "data",
    "loading",
    "staging",
    "allocator",
    "collective",
    "sync",
    "compile",
    "profiler",
    "another_device",
    "unrecorded",
    "launch",
)
"""Causes of idle with an empty queue, in the order in which a moment is given to one:

- `garbage_collection`: Python collects garbage, and holds a training thread up with it.
- `data`: a training thread is in the data loader.
- `loading`: kernels and library handles are loaded, in first calls (`loading.find_loading`).
- `staging`: the host copies its own pageable memory, for a transfer that it asked for.
- `allocator`: in a call that allocates or frees memory; a free waits for the device by itself.
- `collective`: in a collective that the hosts run (gloo, MPI, a barrier), or doing nothing while another
  thread of the process runs one.
- `sync`: after a sync point's return until the next launch, for at most as long as the awaited work
  explains the wait: without the wait the host would have been that much earlier. What it does
  after that is its own affair.
- `compile`: torch.compile is at work.
- `profiler`: CUPTI is, or the profiler ends the window.
- `another_device`: inside a wait, while another device of the process works.
- `unrecorded`: inside a wait, with nothing recorded to wait for.
- `launch`: the host was late for another reason; never where nothing tells what a call launched.
"""

CAUSES = ("queued", *EMPTY_CAUSES, "unknown")


@dataclass(frozen=True, eq=False)
class IdleCauses:
    idle: IdlePieces
    steps: Steps
    states: dict[str, Intervals]

    @cached_property
    def empty(self) -> dict[int, dict[str, Intervals]]:
        """The idle with an empty queue by device and cause, without overlap and without rest."""
        return {device: self._divided(pieces) for device, pieces in self.idle.empty.items()}

    def per_step_ns(self, device: int) -> dict[str, Int64s]:
        """The idle of each step by cause; together they are all idle of the step."""
        start, end = self.steps.gpu_start_ns, self.steps.gpu_end_ns
        parts = {cause: overlap_ns(pieces, start, end) for cause, pieces in self.empty[device].items()}
        return {"queued": self.idle.by_device[device].queued_ns, **parts}

    def total_ns(self, device: int) -> dict[str, int]:
        """The idle of all steps by cause; causes that took nothing are left out."""
        totals = {cause: int(ns.sum()) for cause, ns in self.per_step_ns(device).items()}
        return {cause: ns for cause, ns in totals.items() if ns}

    def _divided(self, pieces: Intervals) -> dict[str, Intervals]:
        divided, rest = {}, pieces
        for cause in EMPTY_CAUSES:
            divided[cause] = intersect(rest, self.states[cause])
            rest = subtract(rest, self.states[cause])
        return {**divided, "unknown": rest}
