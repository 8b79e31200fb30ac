"""Every call of an operator: what is around it, its step, and the work on the device that it launched.

The device time of a call is that of the kernels, copies and memsets whose launching call lies in it;
launch and work are joined by `correlation`. An operator that is all that one of the same name holds is
part of that call. Both as `key_averages()` has it.

Which call of the forward pass each call of the backward pass belongs to.

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

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.host_tree import HostTree, climbed, host_tree
from tbprof.analysis.names import are_named, match
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int32s, Int64s, distinct, is_among, lookup
from tbprof.trace.columns.columns import Trace
from tbprof.trace.columns.tensor_cores import is_on_tensor_cores


@dataclass(frozen=True, slots=True, eq=False)
class Operators:
    """One entry a call, ascending by (lane, start, longer first). Times are in ns."""

    rows: Int64s
    """Rows of the trace."""
    innermost: Int64s
    """Row of the innermost operator that is part of the call, mostly its own."""
    parent: Int64s
    """Position of the call around each, or `NONE`."""
    device_total_ns: Int64s
    tensor_total_ns: Int64s
    """The part of the device time in kernels that use tensor cores."""
    step: Int64s
    """The step of the host that holds its start, or `NONE`."""
    of_work: Int64s
    """For each entry of `Facts.work` the call that launched it itself, or `NONE`."""

    def __len__(self) -> int:
        return len(self.rows)

    def is_inside_its_like(self, code: Int64s) -> npt.NDArray[np.bool_]:
        """Whether a call around each has the same code; one code a call."""
        found = np.zeros(len(self), np.bool_)
        around: Int64s = self.parent.copy()
        open_ = np.flatnonzero(around != NONE)
        while len(open_):
            found[open_] |= code[around[open_]] == code[open_]
            around[open_] = self.parent[around[open_]]
            open_ = open_[(around[open_] != NONE) & ~found[open_]]
        return found


def find_operators(facts: Facts) -> Operators:
    """All of the window, inside and outside its steps."""
    slices, work, calls = facts.trace.slices, facts.work, find_operator_calls(facts.trace)
    tree, rows = calls.tree, calls.tree.rows[calls.at]
    parent = at_or_none(calls.call, tree.parent[calls.at])
    merged = np.flatnonzero(tree.is_merged)
    innermost = rows.copy() if len(merged) else rows
    innermost[calls.call[merged]] = tree.rows[merged]
    of_work = at_or_none(calls.of_rows(len(slices)), work.launch)
    # On a large trace they are as large as what is made of them.
    del calls, tree, merged
    length = work.end_ns - work.start_ns
    device = sums(len(rows), of_work, length)
    tensor = sums(len(rows), of_work, length * are_named(facts.trace, work.rows, is_on_tensor_cores))
    add_inner(parent, (device, tensor))
    return Operators(
        rows=rows,
        innermost=innermost,
        parent=parent,
        device_total_ns=device,
        tensor_total_ns=tensor,
        step=facts.steps.index_of(slices.start_ns[rows]),
        of_work=of_work,
    )


def add_inner(parent: Int64s, columns: Iterable[Int64s]) -> None:
    """Add to each call what the calls within it have, in place.

    Args:
        parent: Position of the call around each, or `NONE`.
        columns: One value a call in each.
    """
    depth = np.zeros(len(parent), np.int32)
    around, open_ = parent.copy(), np.flatnonzero(parent != NONE)
    while len(open_):
        depth[open_] += 1
        around[open_] = parent[around[open_]]
        open_ = open_[around[open_] != NONE]
    del around
    # Of small integers a stable sort is a radix sort.
    order = np.argsort(-depth.astype(np.min_scalar_type(-int(depth.max(initial=1)))), kind="stable")
    levels = np.split(order, np.flatnonzero(np.diff(depth[order])) + 1)
    inner = [level for level in levels if len(level) and depth[level[0]]]
    del depth
    for column in columns:
        for level in inner:
            np.add.at(column, parent[level], column[level])


@dataclass(frozen=True, slots=True, eq=False)
class OperatorCalls:
    tree: HostTree
    at: Int64s
    """Position of each call in the tree, ascending."""
    call: Int32s
    """For each row of the tree the call that it is part of, or `NONE`."""

    def of_rows(self, length: int) -> Int32s:
        """For each row of a trace of this length the call that it is part of, or `NONE`."""
        found = np.full(length, NONE, np.int32)
        found[self.tree.rows] = self.call
        return found


def find_operator_calls(trace: Trace) -> OperatorCalls:
    """An operator that is all that one of the same name holds is part of that call."""
    tree = host_tree(trace)
    is_op = tree.is_op()
    is_call = is_op & ~tree.is_merged
    at = np.flatnonzero(is_call)
    nearer = np.where(is_op, tree.parent, tree.operator)
    nearer[at] = at
    call = climbed(nearer, is_call)
    del nearer
    number = np.cumsum(is_call, dtype=np.int32)
    known = call != NONE
    call[known] = number[call[known]] - 1
    return OperatorCalls(tree, at, call)


def at_or_none(values: npt.NDArray[np.integer], at: npt.NDArray[np.integer]) -> Int64s:
    """The values at these positions, `NONE` where there is no position."""
    found = np.full(len(at), NONE, np.int64)
    known = at != NONE
    found[known] = values[at[known]]
    return found


def sums(length: int, at: npt.NDArray[np.integer], values: Int64s) -> Int64s:
    """Sums of the values at each position below `length`; those at `NONE` are left out."""
    total = np.zeros(length, np.int64)
    known = at != NONE
    np.add.at(total, at[known], values[known])
    return total


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
