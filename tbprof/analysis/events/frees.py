"""Which calls that free device memory belong to the allocator, and which to a library that is set up.

torch's allocator keeps what a program frees. It gives memory back to the device in two cases: the
program empties its cache, outside every op and block after block; or an allocation failed, so inside
an op a run of frees stands between two allocations. All other frees inside ops are those of cuBLAS and
cuDNN, which free while they create their handles: 6.5 s of them in the first convolution of one public
trace, and nothing of it is the allocator's. A handle is created once a thread: where an op frees in more
than `MAX_HANDLES` of its calls on a thread, memory is short, and the frees are the allocator's after all.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.distinct import distinct_lines
from tbprof.analysis.arrays.names import match
from tbprof.analysis.events.calls import Calls
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category, Trace

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
    in_op = op != NONE
    flushing = np.where(in_op, (before & after)[run], (last - first + 1 >= MIN_FREES)[run])
    flushing[in_op] |= _recurs(slices.name[calls.ops.rows[op[in_op]]], lane[at[in_op]], op[in_op])
    return Frees(every=rows[at], flushing=rows[at[flushing]], of_handles=rows[at[in_op & ~flushing]])


def _recurs(op_name: npt.NDArray[np.integer], lane: Int64s, op: Int64s) -> npt.NDArray[np.bool_]:
    """For each free whether the op of that name frees in more than `MAX_HANDLES` calls on that lane."""
    _, kind = distinct_lines(np.stack([op_name.astype(np.int64), lane], axis=1))
    pairs, _ = distinct_lines(np.stack([kind, op], axis=1))
    instances = np.bincount(pairs[:, 0], minlength=1)
    recurs: npt.NDArray[np.bool_] = instances[kind] > MAX_HANDLES
    return recurs
