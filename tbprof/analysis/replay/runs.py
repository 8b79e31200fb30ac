"""Rows of one stream that follow each other, between which nothing else has a say."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int64s

_Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """In the order in which they are played: by the launches of their last rows."""

    first: Int64s
    """Where each begins in the rows by stream."""
    last: Int64s
    """Its last row there."""
    of_row: Int64s
    """The run of each row, by its number."""

    @classmethod
    def of(
        cls, by_stream: Int64s, *, before: Int64s, span: Int64s, begins: _Bools, ends: _Bools, is_last: _Bools
    ) -> Runs:
        """Cut the rows.

        Args:
            by_stream: The numbers of the rows, stream by stream as they ran; a number is that of the launch.
            before: By number, as all below: the row that ran before it on its stream, or `NONE`.
            span: No run goes on from one to the next.
            begins: The row has more to wait for than the row before it.
            ends: Something asks for the end of the row.
            is_last: The window ends with the last of these.
        """
        if not len(by_stream):
            return cls(by_stream, by_stream, by_stream)
        row, earlier = by_stream[1:], by_stream[:-1]
        goes_on = (before[row] == earlier) & (earlier < row) & (span[row] == span[earlier])
        goes_on &= ~begins[row] & ~ends[earlier] & (is_last[row] | ~is_last[earlier])
        first = np.concatenate([[0], np.flatnonzero(~goes_on) + 1])
        last = np.append(first[1:], len(by_stream)) - 1
        played = np.argsort(by_stream[last])
        rank = np.empty(len(first), np.int64)
        rank[played] = np.arange(len(first))
        of_row = np.empty(len(by_stream), np.int64)
        of_row[by_stream] = np.repeat(rank, last - first + 1)
        return cls(first[played], last[played], of_row)
