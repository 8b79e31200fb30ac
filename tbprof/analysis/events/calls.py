"""The calls that can make the host wait: copies and synchronizes, and nothing else.

Copy calls are runtime or driver rows named `(cuda|hip)Memcpy*` or `cuMemcpy*`, synchronize
calls `(cuda|hip)(Stream|Device|Event)Synchronize` and `cu(Stream|Ctx|Event)Synchronize`.
Event queries, stream waits, allocations, graph launches and CUPTI's own `cuda_sync` rows
are none: allocator stalls are real, and another matter.

A thread waits for one thing at a time. A call that runs over the start of the next one of its thread is cut
there, and counted; so is one that goes on after the step that its thread marks around it for longer than that
step, at the step's end.
"""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.names import match
from tbprof.analysis.arrays.nesting import Nest
from tbprof.analysis.events.steps import Steps
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category, Trace

_COPY = r"(?:(?:cuda|hip)Memcpy|cuMemcpy)"
_SYNC = r"(?:(?:cuda|hip)(?:Stream|Device|Event)|cu(?:Stream|Ctx|Event))Synchronize"
_STREAM_SYNC = r"(?:cuda|hip|cu)StreamSynchronize"
_DEVICE_SYNC = r"(?:cuda|hip)DeviceSynchronize"
_PROFILER_FRAME = re.compile(r".*torch[/\\](?:profiler[/\\]|autograd[/\\]profiler\.py)")


@dataclass(frozen=True, eq=False)
class Calls:
    """Copy and synchronize calls, ascending by (lane, start, file order)."""

    trace: Trace
    rows: Int64s
    lane: Int64s
    start_ns: Int64s
    end_ns: Int64s
    is_copy: npt.NDArray[np.bool_]
    is_async: npt.NDArray[np.bool_]
    """A copy whose name says `Async`."""
    is_stream_sync: npt.NDArray[np.bool_]
    ops: Nest
    op: Int64s
    """Position in `ops` of the innermost op around each call, or `NONE`."""
    cut: int
    """How many of them ran on where another call, or another step, of their thread had begun."""

    @cached_property
    def profiler_own(self) -> npt.NDArray[np.bool_]:
        """The device synchronize by which the profiler itself ended the window.

        It is the last `*DeviceSynchronize` of its process, if no op encloses it, no runtime
        call follows it on its thread and, where it has Python frames, one of them is the
        profiler's.
        """
        own = np.zeros(len(self.rows), np.bool_)
        is_device_sync = match(self.trace, self.rows, _DEVICE_SYNC)
        last: dict[str, int] = {}
        for call in np.flatnonzero(is_device_sync).tolist():
            process = self.trace.lanes[self.lane[call]].process
            if process not in last or self.start_ns[call] >= self.start_ns[last[process]]:
                last[process] = call
        own[[call for call in last.values() if self._ends_the_window(call)]] = True
        return own

    def _ends_the_window(self, call: int) -> bool:
        if self.op[call] != NONE:
            return False
        slices = self.trace.slices
        later = (slices.category == Category.RUNTIME) & (slices.start_ns > self.start_ns[call])
        if (later & (slices.lane == self.lane[call])).any():
            return False
        start, end = self.start_ns[call], self.end_ns[call]
        frames = (
            (slices.category == Category.PYTHON)
            & (slices.lane == self.lane[call])
            & (slices.start_ns <= start)
            & (slices.end_ns >= end)
        )
        around = [self.trace.names[i] for i in distinct(slices.name[frames]).tolist()]
        return not around or any(_PROFILER_FRAME.match(name) for name in around)


def find_calls(trace: Trace, steps: Steps) -> Calls:
    """All copy and synchronize calls, each with its innermost op."""
    slices = trace.slices
    runtime = np.flatnonzero(slices.category == Category.RUNTIME)
    rows = runtime[match(trace, runtime, _COPY) | match(trace, runtime, _SYNC + "$")]
    rows = rows[np.lexsort((rows, slices.start_ns[rows], slices.lane[rows]))]
    lane, start = slices.lane[rows].astype(np.int64), slices.start_ns[rows]
    end = start + slices.duration_ns[rows]
    possible = _possible_end(steps, lane, start, end)
    ops = Nest.of(slices, np.flatnonzero(slices.category == Category.CPU_OP))
    is_copy = match(trace, rows, _COPY)
    return Calls(
        trace=trace,
        rows=rows,
        lane=lane,
        start_ns=start,
        end_ns=possible,
        is_copy=is_copy,
        is_async=is_copy & match(trace, rows, ".*Async"),
        is_stream_sync=match(trace, rows, _STREAM_SYNC),
        ops=ops,
        op=ops.innermost(lane, start, end),
        cut=int((possible < end).sum()),
    )


def _possible_end(steps: Steps, lane: Int64s, start_ns: Int64s, end_ns: Int64s) -> Int64s:
    """When each call ended at the latest, by what its thread did next."""
    found: Int64s = end_ns.copy()
    has_next = lane[:-1] == lane[1:]
    found[:-1][has_next] = np.minimum(end_ns[:-1], start_ns[1:])[has_next]
    step = steps.index_of(start_ns)
    held = is_among(lane, steps.lanes) & (step != NONE)
    begun, over = steps.start_ns[step[held]], steps.end_ns[step[held]]
    found[held] = np.where(found[held] - over > over - begun, over, found[held])
    return found
