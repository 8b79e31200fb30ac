"""Every call of an operator: its host and device time, without and with the operators in it.

The host's own time of a call leaves out all that is recorded in it: operators, ranges, runtime calls,
Python frames. Its own device time is that of the kernels, copies and memsets whose launching call
lies in it and in no operator within it; launch and work are joined by `correlation`. An operator
that is all that one of the same name holds is part of that call. Both as `key_averages()` has it.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.intervals import NEVER, overlap_ns
from tbprof.analysis.arrays.names import are_named
from tbprof.analysis.facts import Facts
from tbprof.analysis.operators.host_tree import HostTree, climbed, host_tree
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE
from tbprof.trace.columns.columns import Int64s
from tbprof.trace.columns.tensor_cores import eligible_operators, is_on_tensor_cores

__all__ = ["Operators", "add_inner", "find_operators"]


@dataclass(frozen=True, slots=True, eq=False)
class Operators:
    """One entry a call, ascending by (lane, start, longer first). Times are in ns."""

    rows: Int64s
    """Of the trace."""
    innermost: Int64s
    """Row of the innermost operator that is part of the call, mostly its own."""
    parent: Int64s
    """Position of the call around each, or `NONE`."""
    host_self_ns: Int64s
    host_total_ns: Int64s
    device_self_ns: Int64s
    device_total_ns: Int64s
    tensor_self_ns: Int64s
    """Of the device time, that of kernels which use tensor cores."""
    tensor_total_ns: Int64s
    launches: Int64s
    """Runtime calls directly in it that launched work."""
    wait_ns: Int64s
    """In sync points within it."""
    idle_ns: Int64s
    """Idle of the busiest device in the steps, while the host was in it."""
    is_eligible: npt.NDArray[np.bool_]
    """Whether it, or an operator in it, computes what tensor cores can, or was seen to use them."""
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
    slices, tree = facts.trace.slices, host_tree(facts.trace)
    index, call_of = _calls(tree)
    rows = tree.rows[index]
    parent = _at(call_of, tree.parent[index])
    call_of_row = np.full(len(slices), NONE, np.int64)
    call_of_row[tree.rows] = call_of
    own = _own(facts, rows, call_of_row)
    device_ns, tensor_ns = own.device_ns.copy(), own.tensor_ns.copy()
    add_inner(parent, (device_ns, tensor_ns, own.wait_ns, own.is_eligible))
    innermost, merged = rows.copy(), np.flatnonzero(tree.is_merged)
    innermost[call_of[merged]] = tree.rows[merged]
    is_op = _ops(tree)
    host_self_ns = _sums(len(rows), call_of[is_op], tree.own_ns[is_op])
    launches = _counts(len(rows), call_of_row[facts.work.launches])
    # On a large trace they are as large as what is made of them.
    del tree, call_of, call_of_row, is_op
    start, main = slices.start_ns[rows], facts.work.main_device
    idle = NEVER if main is None else facts.idle.gaps[main]
    return Operators(
        rows=rows,
        innermost=innermost,
        parent=parent,
        host_self_ns=host_self_ns,
        host_total_ns=slices.duration_ns[rows],
        device_self_ns=own.device_ns,
        device_total_ns=device_ns,
        tensor_self_ns=own.tensor_ns,
        tensor_total_ns=tensor_ns,
        launches=launches,
        wait_ns=own.wait_ns,
        idle_ns=overlap_ns(idle, start, slices.end_of(rows)),
        is_eligible=own.is_eligible > 0,
        step=facts.steps.index_of(start),
        of_work=own.of_work,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Own:
    """Of each call without those in it."""

    device_ns: Int64s
    tensor_ns: Int64s
    wait_ns: Int64s
    is_eligible: Int64s
    """1 for one that computes what tensor cores can."""
    of_work: Int64s


def _own(facts: Facts, rows: Int64s, call_of_row: Int64s) -> _Own:
    trace, work, episodes = facts.trace, facts.work, facts.episodes
    of_work = _at(call_of_row, work.launch)
    length = work.end_ns - work.start_ns
    on_tensor_cores = are_named(trace, work.rows, is_on_tensor_cores)
    tensor = _sums(len(rows), of_work, np.where(on_tensor_cores, length, 0))
    waits = episodes.blocking
    waited_in = call_of_row[facts.calls.rows[episodes.first[waits]]]
    is_able = eligible_operators(trace.names)[trace.slices.name[rows]] | (tensor > 0)
    return _Own(
        device_ns=_sums(len(rows), of_work, length),
        tensor_ns=tensor,
        wait_ns=_sums(len(rows), waited_in, episodes.wait_ns[waits]),
        is_eligible=is_able.astype(np.int64),
        of_work=of_work,
    )


def _ops(tree: HostTree) -> npt.NDArray[np.bool_]:
    is_op: npt.NDArray[np.bool_] = tree.operator == np.arange(len(tree.rows))
    return is_op


def _calls(tree: HostTree) -> tuple[Int64s, Int64s]:
    """Positions in the tree that are calls, and for each position the call that it is part of, or `NONE`."""
    is_call = _ops(tree) & ~tree.is_merged
    index = np.flatnonzero(is_call)
    nearer = np.where(is_call, np.arange(len(is_call)), np.where(_ops(tree), tree.parent, tree.operator))
    number = np.full(len(is_call), NONE, np.int64)
    number[index] = np.arange(len(index))
    return index, _at(number, climbed(nearer, is_call))


def _at(values: Int64s, at: Int64s) -> Int64s:
    """The values at these positions, `NONE` where there is no position."""
    found = np.full(len(at), NONE, np.int64)
    known = at != NONE
    found[known] = values[at[known]]
    return found


def _sums(length: int, at: Int64s, values: Int64s) -> Int64s:
    total = np.zeros(length, np.int64)
    known = at != NONE
    np.add.at(total, at[known], values[known])
    return total


def _counts(length: int, at: Int64s) -> Int64s:
    counts: Int64s = np.bincount(at[at != NONE], minlength=length)
    return counts


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
