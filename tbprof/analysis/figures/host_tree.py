"""What lies in what on the threads of the host: operators, ranges, runtime calls and Python frames.

Nested by time alone, thread by thread; `External id` is not used. Python frames matter only where they
lie in an operator, such as those of a custom `autograd.Function`, so only those are here.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from tbprof.analysis.intervals import are_within, union
from tbprof.analysis.names import match
from tbprof.analysis.nesting import Nest, nested
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int32s, Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category, Slices, Trace

_RANGES = r"Optimizer\.|enumerate\(Data(?:Loader|Pipe)\)|(?:Distributed)?DataParallel\.forward"
"""Ranges that files of 2021 have among the operators."""


_AT_ONCE = 16_384
_Position = TypeVar("_Position", bound=np.signedinteger)


@dataclass(frozen=True, slots=True, eq=False)
class HostTree:
    """One entry a row, ascending by (lane, start, longer first): a row stands before what it contains."""

    rows: Int64s
    """Rows of the trace."""
    parent: Int32s
    """Position of the innermost row around each, or `NONE`."""
    operator: Int32s
    """Position of the innermost operator around each row, the row itself if it is one, or `NONE`."""
    is_merged: npt.NDArray[np.bool_]
    """An operator that is all that another one of the same name holds; both are one call."""

    def is_op(self) -> npt.NDArray[np.bool_]:
        """Whether each row is an op."""
        is_op: npt.NDArray[np.bool_] = self.operator == np.arange(len(self.rows))
        return is_op

    def own_ns(self, slices: Slices) -> Int64s:
        """The time of each row without the rows directly in it."""
        own = slices.duration_ns[self.rows]
        inside = self.parent != NONE
        np.subtract.at(own, self.parent[inside], slices.duration_ns[self.rows[inside]])
        return own


def host_tree(trace: Trace) -> HostTree:
    """Build it from the rows of a trace."""
    slices = trace.slices
    ops = np.flatnonzero(slices.category == Category.CPU_OP)
    is_range = match(trace, ops, _RANGES)
    ops, ranges = ops[~is_range], ops[is_range]
    annotations = np.flatnonzero(slices.category == Category.USER_ANNOTATION)
    ranges = _that_end_in_time(slices, np.concatenate([ranges, annotations]), ops)
    calls = np.flatnonzero(slices.category == Category.RUNTIME)
    frames = _that_end_in_time(slices, _frames_in(slices, ops), ops, closes=True)
    rows, parent = nested(slices, np.concatenate([ops, ranges, calls, frames]))
    is_op = is_among(rows, ops)
    operator = climbed(np.where(is_op, np.arange(len(is_op), dtype=np.int32), parent), is_op)
    return HostTree(rows, parent, operator, _merged(slices, rows, parent, is_op))


def climbed(start: npt.NDArray[_Position], wanted: npt.NDArray[np.bool_]) -> npt.NDArray[_Position]:
    """The first wanted position that is reached from each position along `start`, or `NONE`.

    Args:
        start: The next position of each: itself where it is wanted, else one nearer to the root, or `NONE`.
        wanted: One entry a position.
    """
    at: npt.NDArray[_Position] = start.copy()
    # Most ways lead back into pieces that are done, and what is looked at at once is small.
    for begin in range(0, len(at), _AT_ONCE):
        on_the_way = begin + np.flatnonzero(at[begin : begin + _AT_ONCE] != NONE)
        while True:
            on_the_way = on_the_way[~wanted[at[on_the_way]]]
            if len(on_the_way) == 0:
                break
            at[on_the_way] = at[at[on_the_way]]
            on_the_way = on_the_way[at[on_the_way] != NONE]
    return at


def outermost(parent: Int64s, wanted: npt.NDArray[np.bool_]) -> Int64s:
    """For each position the one nearest to the root that is wanted, around it or itself, or `NONE`."""
    found = climbed(np.where(wanted, np.arange(len(parent)), parent), wanted)
    around = climbed(parent, wanted)
    while True:
        inner = np.flatnonzero(found != NONE)
        inner = inner[around[found[inner]] != NONE]
        if len(inner) == 0:
            return found
        found[inner] = around[found[inner]]


def _that_end_in_time(slices: Slices, ranges: Int64s, ops: Int64s, *, closes: bool = False) -> Int64s:
    """Without ranges that outlast the operator in which they began.

    Asynchronous ones hold nothing, and frames of generators are recorded as if they ran on while others do.

    Args:
        slices: Of the trace.
        ranges: Rows of it.
        ops: The operators.
        closes: Whether an operator holds nothing that begins after one that outlasts it: `key_averages()`
            has it so of frames, in ranges that one function enters and another one leaves.
    """
    if len(ops) == 0 or len(ranges) == 0:
        return ranges
    nest, start = Nest.of(slices, ops), slices.start_ns[ranges]
    at = nest.innermost(slices.lane[ranges].astype(np.int64), start - 1, start + 1)
    outlasts = (at != NONE) & (slices.end_of(nest.rows[at]) < slices.end_of(ranges))
    is_held = ~outlasts
    if closes:
        closed = np.full(len(ops), np.iinfo(np.int64).max)
        np.minimum.at(closed, at[outlasts], start[outlasts])
        is_held &= (at == NONE) | (start < closed[at])
    lasting: Int64s = ranges[is_held]
    return lasting


def _frames_in(slices: Slices, ops: Int64s) -> Int64s:
    """The Python frames that begin while an operator of their thread is open."""
    frames = np.flatnonzero(slices.category == Category.PYTHON)
    found = []
    for lane in distinct(slices.lane[frames]).tolist():
        own = ops[slices.lane[ops] == lane]
        mine = frames[slices.lane[frames] == lane]
        open_ = union(slices.start_ns[own], slices.end_of(own))
        found.append(mine[are_within(slices.start_ns[mine], open_)])
    return np.concatenate(found) if found else frames[:0]


def _merged(
    slices: Slices, rows: Int64s, parent: Int32s, is_op: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    merged = np.zeros(len(rows), np.bool_)
    inner = np.flatnonzero(is_op & (parent != NONE))
    inner = inner[is_op[parent[inner]]]
    inner = inner[slices.name[rows[inner]] == slices.name[rows[parent[inner]]]]
    children = np.bincount(parent[parent != NONE], minlength=len(rows))
    merged[inner[children[parent[inner]] == 1]] = True
    return merged
