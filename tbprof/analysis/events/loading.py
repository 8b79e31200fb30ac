"""Calls in which the host set something up for the first time: kernels and library handles are loaded.

Three kinds, on the training threads:

- A runtime call of `LONG_CALL_NS` and more that is no copy, no synchronize and allocates nothing: CUDA
  and HIP load a kernel's code when it is first launched, in the launching call; querying a device's
  properties and making a stream take as long once.
- A free by which a library creates its handles (`frees.Frees.of_handles`).
- What CUPTI itself records as lazy loading.

Calls that are as long in every step are no first calls: they are left out where the median step spends
at least half of the mean in them.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.names import match, matching_rows
from tbprof.analysis.events.calls import Calls
from tbprof.analysis.events.frees import Frees
from tbprof.analysis.events.steps import Steps
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among, median
from tbprof.trace.columns.columns import Category, Trace

LONG_CALL_NS = 1_000_000
"""A launch takes 5 to 20 us, and ten times as much under a profiler that records Python frames."""

ALLOCATOR = (
    r"(?:cuda|hip)(?:Malloc|Free|HostAlloc|HostFree|HostRegister|HostUnregister|HostMalloc|MemPool)"
    r"|cuMem(?:Alloc|Free|Create|Map|Unmap|Release|AddressReserve|AddressFree|SetAccess)"
)
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
    return long[~match(trace, long, ALLOCATOR)]


def _is_steady(trace: Trace, rows: Int64s, steps: Steps) -> bool:
    if len(steps) < _ENOUGH_STEPS:
        return False
    step = steps.index_of(trace.slices.start_ns[rows])
    spent = np.bincount(step[step != NONE], trace.slices.duration_ns[rows][step != NONE], len(steps))
    return bool(median(spent) >= _STEADY_SHARE * max(float(spent.mean()), 1.0))
