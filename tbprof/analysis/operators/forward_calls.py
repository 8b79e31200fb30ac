"""Which call of the forward pass each call of the backward pass belongs to.

autograd numbers what it records: the forward operator and what it runs for it later bear one
`Sequence number`, and the latter name torch's number of the forward's thread. That thread's lane is the one
on which most of its numbers are found before, or else the one on which they are found last: a thread of
autograd's that computes again counts by itself. Several calls may bear one number: those that autograd
does not record bear that of the next one that it does, which is the latest. `key_averages()` takes the
earliest. A call that autograd records as several functions, as one in place on a view is, bears the first
one's number alone.

What autograd's functions record themselves has a backward pass of its own: what reentrant checkpointing
computes again, and a backward pass that is differentiated again (`create_graph`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.names import match
from tbprof.analysis.operators.host_tree import climbed
from tbprof.analysis.operators.operators import Operators
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among, lookup
from tbprof.trace.columns.columns import Trace

_ENGINE = r"autograd::engine::"
_ACCUMULATING = r"torch::autograd::AccumulateGrad"
"""It belongs to a parameter, not to a forward call, and has no number."""


def forward_calls(
    trace: Trace, operators: Operators, *, with_engine: bool
) -> tuple[npt.NDArray[np.bool_], Int64s]:
    """For each call whether autograd runs it, and the forward call that it belongs to, or `NONE`.

    Without the table `autograd` of the trace nothing is known to be autograd's.

    Args:
        trace: The one of the operators.
        operators: All of them.
        with_engine: Whether to count what autograd's engine does around its functions, such as adding up
            gradients, to take the latest call of a number, to join the further functions of a call, and
            those of calls that autograd's functions record; `key_averages()` does none of these.
    """
    none = np.full(len(operators), NONE, np.int64)
    if trace.autograd is None or len(operators) == 0:
        return np.zeros(len(operators), np.bool_), none
    number = trace.autograd.autograd_number.at(operators.rows)
    thread = trace.autograd.forward_thread.at(operators.rows)
    begins = (thread > 0) | match(trace, operators.rows, _ACCUMULATING)
    if not with_engine:
        begins &= ~match(trace, operators.rows, _ENGINE)
    root = climbed(np.where(begins, np.arange(len(begins)), operators.parent), begins)
    is_backward = root != NONE
    is_recorded = ~begins if with_engine else ~is_backward
    slices, forward = trace.slices, np.flatnonzero(is_recorded & (number >= 0))
    forward = forward[np.argsort(slices.start_ns[operators.rows[forward]], kind="stable")]
    found = none
    lane, start = slices.lane[operators.rows].astype(np.int64), slices.start_ns[operators.rows]
    functions, counted = np.flatnonzero(begins), forward[thread[forward] <= 0]
    for one in distinct(thread[begins]).tolist():
        mine = np.flatnonzero(is_backward)[thread[root[is_backward]] == one]
        wanted, of_thread = number[root[mine]], functions[thread[functions] == one]
        on = _lane_of(counted, lane[counted], of_thread, number=number, start=start)
        there = forward[lane[forward] == on]
        if len(there):
            found[mine] = (
                _recorded_by(number[there], there, wanted)
                if with_engine
                else lookup(number[there], there, wanted)
            )
    if with_engine:
        later = (found != NONE) & (start[np.maximum(found, 0)] >= start[np.maximum(root, 0)])
        found[later] = NONE
    return is_backward, found


def _lane_of(calls: Int64s, lane: Int64s, functions: Int64s, *, number: Int64s, start: Int64s) -> int:
    """The lane of the calls, ascending by start, that autograd's functions of one thread belong to."""
    best, found = (0, 0.0), NONE
    for one in distinct(lane[is_among(number[calls], number[functions])]).tolist():
        there = calls[lane == one]
        at = lookup(number[there], there, number[functions])
        before = (at != NONE) & (start[np.maximum(at, 0)] < start[functions])
        mine = (int(before.sum()), float(start[at[before]].mean()) if before.any() else 0.0)
        if mine > best:
            best, found = mine, one
    return found


def _recorded_by(number: Int64s, calls: Int64s, wanted: Int64s) -> Int64s:
    """The latest call of each number; where none bears it that of the largest number below."""
    order = np.argsort(number, kind="stable")
    at = np.searchsorted(number[order], wanted, side="right") - 1
    return np.where((at >= 0) & (wanted >= 0), calls[order[np.maximum(at, 0)]], NONE)
