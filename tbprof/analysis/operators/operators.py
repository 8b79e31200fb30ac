"""Every call of an operator: what is around it, its step, and the work on the device that it launched.

The device time of a call is that of the kernels, copies and memsets whose launching call lies in it;
launch and work are joined by `correlation`. An operator that is all that one of the same name holds is
part of that call. Both as `key_averages()` has it.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.names import are_named
from tbprof.analysis.facts import Facts
from tbprof.analysis.operators.operator_calls import at_or_none, find_operator_calls, sums
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.tensor_cores import is_on_tensor_cores


@dataclass(frozen=True, slots=True, eq=False)
class Operators:
    """One entry a call, ascending by (lane, start, longer first). Times are in ns."""

    rows: Int64s
    """Of the trace."""
    innermost: Int64s
    """Row of the innermost operator that is part of the call, mostly its own."""
    parent: Int64s
    """Position of the call around each, or `NONE`."""
    device_total_ns: Int64s
    tensor_total_ns: Int64s
    """Of the device time, that of kernels which use tensor cores."""
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
