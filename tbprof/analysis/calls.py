"""The calls that can make the host wait: copies and synchronizes, and nothing else.

Copy calls are runtime or driver rows named `(cuda|hip)Memcpy*` or `cuMemcpy*`, synchronize
calls `(cuda|hip)(Stream|Device|Event)Synchronize` and `cu(Stream|Ctx|Event)Synchronize`.
Event queries, stream waits, allocations, graph launches and CUPTI's own `cuda_sync` rows
are none: allocator stalls are real, and another matter.

A thread waits for one thing at a time. A call that runs over the start of the next one of its thread is cut
there, and counted; so is one that goes on after the step that its thread marks around it for longer than that
step, at the step's end.

Which calls that free device memory belong to the allocator, and which to a library that is set up.

torch's allocator keeps what a program frees. It gives memory back to the device in two cases: the
program empties its cache, outside every op and block after block; or an allocation failed, so inside
an op a run of frees stands between two allocations. All other frees inside ops are those of cuBLAS and
cuDNN, which free while they create their handles: 6.5 s of them in the first convolution of one public
trace, and nothing of it is the allocator's. A handle is created once a thread: where an op frees in more
than `MAX_HANDLES` of its calls on a thread, memory is short, and the frees are the allocator's after all.

Calls in which the host set something up for the first time: kernels and library handles are loaded.

Three kinds, on the training threads:

- A runtime call of `LONG_CALL_NS` and more that is no copy, no synchronize, no launch of a graph and
  allocates nothing: CUDA and HIP load a kernel's code when it is first launched, in the launching call;
  querying a device's properties and making a stream take as long once. To launch a graph takes about
  1.2 us for each of its nodes, each time.
- A free by which a library creates its handles (`frees.Frees.of_handles`).
- What CUPTI itself records as lazy loading.

Between such calls of an operator of torch the library works on the host: that is added where idle is divided.

Calls that are as long in every step are no first calls: they are left out where the median step spends
at least half of the mean in them.
"""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tbprof.analysis.intervals import distinct_lines
from tbprof.analysis.names import match, matching_rows
from tbprof.analysis.nesting import Nest
from tbprof.analysis.steps import Steps
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among, median
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


MIN_FREES = 2
"""A single block that is freed outside every op is no emptied cache."""

MAX_HANDLES = 2
"""A library's handle, and its workspace."""

_FREE = r"(?:cuda|hip)Free$"
_MALLOC = r"(?:cuda|hip)Malloc$"
_BETWEEN = r"(?:cuda|hip)(?:Device|Event|Stream)(?:Synchronize|Query|Destroy)"
"""What the allocator does between its frees."""


def lead_to_a_free(trace: Trace, frees: Int64s, lane: Int64s, end_ns: Int64s) -> npt.NDArray[np.bool_]:
    """For each wait, by its lane and end, whether the next runtime call there is one of these frees.

    A free waits for the device by itself, so nothing is won without the wait before it.
    """
    slices = trace.slices
    runtime = np.flatnonzero(slices.category == Category.RUNTIME)
    is_free = is_among(runtime, frees)
    found = np.zeros(len(lane), np.bool_)
    for one in distinct(lane).tolist():
        rows = runtime[slices.lane[runtime] == one]
        order = np.argsort(slices.start_ns[rows], kind="stable")
        free = np.append(is_free[slices.lane[runtime] == one][order], False)
        at = np.searchsorted(slices.start_ns[rows][order], end_ns, side="left")
        found |= (lane == one) & free[at]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Frees:
    """Rows of free calls on the asked lanes, each ascending by lane and start."""

    every: Int64s
    flushing: Int64s
    """The allocator gives its cache back."""
    of_handles: Int64s
    """A library creates its handles."""


def find_frees(trace: Trace, lanes: tuple[int, ...], calls: Calls) -> Frees:
    """Tell the frees of these lanes apart; a single one outside every op is none of the two."""
    slices = trace.slices
    rows = np.flatnonzero((slices.category == Category.RUNTIME) & is_among(slices.lane, lanes))
    rows = rows[~match(trace, rows, _BETWEEN)]
    rows = rows[np.lexsort((rows, slices.start_ns[rows], slices.lane[rows]))]
    lane = slices.lane[rows].astype(np.int64)
    free, malloc = (match(trace, rows, name) for name in (_FREE, _MALLOC))
    at = np.flatnonzero(free)
    start = slices.start_ns[rows[at]]
    op = calls.ops.innermost(lane[at], start, start + slices.duration_ns[rows[at]])
    new_run = np.ones(len(at), np.bool_)
    new_run[1:] = (np.diff(at) > 1) | (np.diff(lane[at]) != 0) | (np.diff(op) != 0)
    run = np.cumsum(new_run) - 1
    first, last = at[new_run], at[np.append(new_run[1:], True)[: len(at)]]
    before = (first > 0) & malloc[first - 1] & (lane[first - 1] == lane[first])
    after = np.append(malloc, False)[last + 1] & (np.append(lane, -1)[last + 1] == lane[last])
    in_op, number = op != NONE, last - first + 1
    of_cache = (before & after) | (number > MAX_HANDLES)
    flushing = np.where(in_op, of_cache[run], (number >= MIN_FREES)[run])
    flushing[in_op] |= _recurs(slices.name[calls.ops.rows[op[in_op]]], lane[at[in_op]], op[in_op])
    # `cudaFree(0)` opens the context: it comes before the first launch, and frees nothing.
    launched_ns = slices.start_ns[matching_rows(trace, _LAUNCH, Category.RUNTIME)]
    is_first = start < launched_ns.min(initial=np.iinfo(np.int64).max)
    opens = ~in_op & is_first & (slices.duration_ns[rows[at]] >= LONG_CALL_NS)
    flushing &= ~opens
    handles = (in_op & ~flushing) | opens
    return Frees(every=rows[at], flushing=rows[at[flushing]], of_handles=rows[at[handles]])


_LAUNCH = r"(?:cuda|hip|cu)(?:Ext)?(?:Module)?(?:Launch|GraphLaunch)"


def _recurs(op_name: npt.NDArray[np.integer], lane: Int64s, op: Int64s) -> npt.NDArray[np.bool_]:
    """For each free whether the op of that name frees in more than `MAX_HANDLES` calls on that lane."""
    _, kind = distinct_lines(np.stack([op_name.astype(np.int64), lane], axis=1))
    pairs, _ = distinct_lines(np.stack([kind, op], axis=1))
    instances = np.bincount(pairs[:, 0], minlength=1)
    recurs: npt.NDArray[np.bool_] = instances[kind] > MAX_HANDLES
    return recurs


LONG_CALL_NS = 1_000_000
"""A launch takes 5 to 20 us, and ten times as much under a profiler that records Python frames."""

ALLOCATOR = (
    r"(?:cuda|hip)(?:Malloc|Free|HostAlloc|HostFree|HostRegister|HostUnregister|HostMalloc|MemPool)"
    r"|cuMem(?:Alloc|Free|Create|Map|Unmap|Release|AddressReserve|AddressFree|SetAccess)"
)
GRAPH_LAUNCH = r"(?:cuda|hip|cu)GraphLaunch"
LAZY_LOADING = r"Lazy Function Loading|Runtime Triggered Module Loading"
"""CUPTI's own records of it, since CUDA 12."""

_ENOUGH_STEPS = 3
_STEADY_SHARE = 0.5


def find_loading(trace: Trace, lanes: tuple[int, ...], calls: Calls, steps: Steps, frees: Frees) -> Int64s:
    """Rows of such calls, ascending; `frees` are those of these lanes."""
    runtime = np.flatnonzero(trace.slices.category == Category.RUNTIME)
    runtime = runtime[is_among(trace.slices.lane[runtime], lanes)]
    rows = np.concatenate(
        [
            _long_calls(trace, runtime, calls),
            frees.of_handles,
            matching_rows(trace, LAZY_LOADING, Category.OVERHEAD),
        ]
    )
    rows = distinct(rows)
    return rows[:0] if _is_steady(trace, rows, steps) else rows


def _long_calls(trace: Trace, runtime: Int64s, calls: Calls) -> Int64s:
    slices = trace.slices
    long = runtime[slices.duration_ns[runtime] >= LONG_CALL_NS]
    long = long[~is_among(long, calls.rows)]
    return long[~match(trace, long, f"{ALLOCATOR}|{GRAPH_LAUNCH}")]


def _is_steady(trace: Trace, rows: Int64s, steps: Steps) -> bool:
    if len(steps) < _ENOUGH_STEPS:
        return False
    step = steps.index_of(trace.slices.start_ns[rows])
    spent = np.bincount(step[step != NONE], trace.slices.duration_ns[rows][step != NONE], len(steps))
    return bool(median(spent) >= _STEADY_SHARE * max(float(spent.mean()), 1.0))
