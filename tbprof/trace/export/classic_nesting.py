"""The nesting of the host's rows, as torch-tb-profiler has it.

It builds one tree for each thread, from operators, ranges of the user, steps and modules,
and drops a row that reaches over the end of the row around it, with all that the row
launched. So such a row is cut at that end here: the plugin then keeps it.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.columns import Slices

Roles = npt.NDArray[np.int8]


class Role(IntEnum):
    """What a row is to the tree of its thread."""

    NO_PART = 0
    NODE = 1
    STEP = 2
    """A node that is never cut: the rows that it would cross end where it begins."""
    CALL = 3
    """Hangs on a node, and is none."""
    FRAME = 4
    """A Python frame: tells the call stack, is no node."""


@dataclass(frozen=True, slots=True, eq=False)
class Nesting:
    """One entry for each row of the trace."""

    end_ns: Int64s
    """The ends, those of cut rows included."""
    around: Int64s
    """The innermost node around a node or a call, a row number; else `NONE`."""
    inside: Int64s
    """How many nodes lie directly in a node."""
    frame: Int64s
    """The innermost frame around a node or a frame; else `NONE`."""
    in_call: npt.NDArray[np.bool_]
    """Whether a call was made by another call."""


def nest(slices: Slices, role: Roles) -> Nesting:
    """Nest the rows of every lane, by time alone."""
    walk = _Walk(slices, role)
    rows = np.flatnonzero(role != Role.NO_PART)
    end_ns = slices.end_ns
    # Of equal rows the earlier in the file is the outer one, and a call is inside its operator.
    keys = (rows, role[rows] == Role.CALL, -end_ns[rows], slices.start_ns[rows], slices.lane[rows])
    rows = rows[np.lexsort(keys)]
    edges = np.flatnonzero(np.diff(slices.lane[rows])) + 1
    for lane_rows in np.split(rows, edges):
        walk.lane(lane_rows.tolist())
    return walk.nesting()


class _Walk:
    def __init__(self, slices: Slices, role: Roles) -> None:
        count = len(slices)
        self._role: list[int] = role.tolist()
        self._start: list[int] = slices.start_ns.tolist()
        self._end: list[int] = (slices.end_ns).tolist()
        self._around = [NONE] * count
        self._inside = [0] * count
        self._frame = [NONE] * count
        self._in_call = [False] * count

    def nesting(self) -> Nesting:
        return Nesting(
            end_ns=np.array(self._end, np.int64),
            around=np.array(self._around, np.int64),
            inside=np.array(self._inside, np.int64),
            frame=np.array(self._frame, np.int64),
            in_call=np.array(self._in_call, np.bool_),
        )

    def lane(self, rows: Sequence[int]) -> None:
        """Nest the rows of one thread, sorted by start, the longer first."""
        nodes: list[int] = []
        frames: list[int] = []
        call = NONE
        for row in rows:
            role = self._role[row]
            if role == Role.CALL:
                call = self._add_call(row, nodes, call)
                continue
            self._frame[row] = self._innermost(row, frames)
            if role == Role.FRAME:
                frames.append(row)
            else:
                self._add_node(row, nodes, is_step=role == Role.STEP)

    def _innermost(self, row: int, open_rows: list[int]) -> int:
        """The innermost open row that contains `row`; what ended before it is closed."""
        while open_rows and self._end[open_rows[-1]] < self._start[row]:
            open_rows.pop()
        return next((at for at in reversed(open_rows) if self._end[at] >= self._end[row]), NONE)

    def _add_call(self, row: int, nodes: list[int], before: int) -> int:
        """Hang a call on its node; the outermost call that is open now."""
        self._around[row] = self._innermost(row, nodes)
        self._in_call[row] = before != NONE and self._end[before] >= self._end[row]
        return before if self._in_call[row] else row

    def _add_node(self, row: int, nodes: list[int], *, is_step: bool) -> None:
        start, end = self._start, self._end
        while nodes and end[nodes[-1]] <= start[row]:
            nodes.pop()
        while is_step and nodes and end[nodes[-1]] < end[row]:
            end[nodes.pop()] = start[row]
        if nodes:
            end[row] = min(end[row], end[nodes[-1]])
            self._around[row] = nodes[-1]
            self._inside[nodes[-1]] += 1
        nodes.append(row)
