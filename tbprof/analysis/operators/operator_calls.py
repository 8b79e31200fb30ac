"""The calls of operators in the tree of the host, and which of them each row of it is part of."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.operators.host_tree import HostTree, climbed, host_tree
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int32s, Int64s
from tbprof.trace.columns.columns import Trace


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
    """Of the values at each position below `length`; those at `NONE` are left out."""
    total = np.zeros(length, np.int64)
    known = at != NONE
    np.add.at(total, at[known], values[known])
    return total
