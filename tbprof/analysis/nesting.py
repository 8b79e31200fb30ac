"""The intervals of a lane that contain a call, found without a tree of all of them.

The intervals of one category are sorted by (lane, start, longer first, file order); the
innermost one around a call is then the last before it that ends late enough. A tree of
maxima over the ends, sixteen to a node, finds it for all calls at once.

Containment is `start <= call.start and call.end <= end` in integer ns, without slack; of
two equal intervals the one later in the file is the inner one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int32s, Int64s, is_among
from tbprof.trace.columns.columns import Slices

_AT_ONCE = 16_384
_BLOCKS_AT_ONCE = 4096
_FAN_OUT = 16
_STEPS_BACK = 3
_NEVER = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True, eq=False)
class Nest:
    """Intervals of one kind, ready for queries. Positions index the sorted order."""

    rows: Int64s
    """Row of the trace at each position."""
    _start_ns: Int64s
    _lanes: Int64s
    """The lanes that have any, ascending."""
    _begins: Int64s
    """Position at which each of these begins, and the end of the last."""
    _reach_ns: Int64s
    """The last end on its lane up to each position: no interval up to there contains what ends later."""
    _levels: tuple[Int64s, ...]
    """Ends, then maxima of sixteen, then of sixteen of those; padded with never."""

    @classmethod
    def of(cls, slices: Slices, rows: Int64s) -> Nest:
        """Build from the rows of one category."""
        rows = rows[nested_order(slices, rows)]
        lane, end = slices.lane[rows], slices.end_of(rows)
        begins = np.flatnonzero(np.diff(lane, prepend=NONE) != 0)
        reach = end.copy()
        for of_lane in np.split(reach, begins):
            np.maximum.accumulate(of_lane, out=of_lane)
        lanes, bounds = lane[begins].astype(np.int64), np.append(begins, len(rows))
        return cls(rows, slices.start_ns[rows], lanes, bounds, reach, _maxima(end))

    def on(self, slices: Slices, lanes: Sequence[int]) -> Nest:
        """The same without the intervals of other lanes."""
        if is_among(self._lanes, lanes).all():
            return self
        return Nest.of(slices, self.rows[is_among(slices.lane[self.rows], lanes)])

    def innermost(self, lane: Int64s, start_ns: Int64s, end_ns: Int64s) -> Int64s:
        """Position of the innermost interval around each call, `NONE` where there is none."""
        if len(self.rows) == 0:
            return np.full(len(lane), NONE, np.int64)
        found = np.empty(len(lane), np.int64)
        # To find them takes many columns: of all at once they would be the peak of a report's memory.
        for begin in range(0, len(lane), _AT_ONCE):
            calls = slice(begin, begin + _AT_ONCE)
            found[calls] = self._innermost(lane[calls], start_ns[calls], end_ns[calls])
        return found

    def _innermost(self, lane: Int64s, start_ns: Int64s, end_ns: Int64s) -> Int64s:
        first, before = np.empty_like(lane), np.empty_like(lane)
        order = np.argsort(lane, kind="stable")
        for calls in np.split(order, np.flatnonzero(np.diff(lane[order])) + 1):
            begin, stop = self._begins[np.searchsorted(self._lanes, [lane[calls[0]], lane[calls[0]] + 1])]
            first[calls] = begin
            starts = self._start_ns[begin:stop]
            before[calls] = begin + np.searchsorted(starts, start_ns[calls], side="right") - 1
        return self._last_reaching(before, end_ns, first)

    def enclosing(self, position: Int64s, end_ns: Int64s) -> Int64s:
        """The next interval outwards that still contains the call; `NONE` stays `NONE`."""
        if len(self.rows) == 0:
            return position
        inside = position != NONE
        begin = self._begins[np.searchsorted(self._begins[1:], position, side="right")]
        return self._last_reaching(np.where(inside, position - 1, NONE), end_ns, begin)

    def parents(self) -> Int64s:
        """The next interval outwards of each interval, `NONE` for the outermost."""
        return _parents(self._levels[0][: len(self.rows)], self._begins[:-1]).astype(np.int64)

    def _last_reaching(self, upto: Int64s, end_ns: Int64s, floor: Int64s) -> Int64s:
        """Last position up to `upto` whose end is at least `end_ns`, on the lane that begins at `floor`."""
        found = np.full(len(upto), NONE, np.int64)
        open_ = np.flatnonzero(upto >= floor)
        open_ = open_[self._reach_ns[upto[open_]] >= end_ns[open_]]
        node = upto[open_]
        for _ in range(_STEPS_BACK):
            # Most are that near, and a look at one is far cheaper than one at sixteen.
            reaches = self._levels[0][node] >= end_ns[open_]
            found[open_[reaches]] = node[reaches]
            open_, node = open_[~reaches], node[~reaches] - 1
        for level, ends in enumerate(self._levels):
            if len(open_) == 0:
                break
            block = node // _FAN_OUT
            hit = _last_in_block(ends, block, node - block * _FAN_OUT, end_ns[open_])
            done = hit != NONE
            found[open_[done]] = self._descend(level, hit[done], end_ns[open_[done]])
            open_, node = open_[~done], block[~done] - 1
        return found

    def _descend(self, level: int, node: Int64s, end_ns: Int64s) -> Int64s:
        whole = np.full(len(node), _FAN_OUT - 1, np.int64)
        for below in range(level - 1, -1, -1):
            node = _last_in_block(self._levels[below], node, whole, end_ns)
        return node


def nested(slices: Slices, rows: Int64s) -> tuple[Int64s, Int32s]:
    """Rows in the order of a nest, and for each its position there of the one around it, or `NONE`."""
    rows = rows[nested_order(slices, rows)]
    begins = np.flatnonzero(np.diff(slices.lane[rows], prepend=NONE) != 0)
    return rows, _parents(slices.end_of(rows), begins)


def _parents(end_ns: Int64s, begins: Int64s) -> Int32s:
    at = np.arange(-1, len(end_ns) - 1, dtype=np.int32)
    at[begins] = NONE
    # With all before a piece done its ways are short, and what is looked at at once is small.
    for begin in range(0, len(at), _AT_ONCE):
        open_ = begin + np.flatnonzero(at[begin : begin + _AT_ONCE] != NONE)
        while len(open_):
            # What ends before this one does so does all that was passed over on its behalf, too.
            open_ = open_[end_ns[at[open_]] < end_ns[open_]]
            at[open_] = at[at[open_]]
            open_ = open_[at[open_] != NONE]
    return at


def nested_order(slices: Slices, rows: Int64s) -> Int64s:
    """The order by lane, start, longer first, and row. To sort by the last two those that begin together is
    faster.
    """
    start, lane = slices.start_ns[rows], slices.lane[rows]
    order = np.lexsort((start, lane))
    is_same = _is_as_before(start[order]) & _is_as_before(lane[order])
    tied = np.zeros(len(order), np.bool_)
    tied[1:] |= is_same
    tied[:-1] |= is_same
    among = order[tied]
    keys = (rows[among], -slices.duration_ns[rows[among]], start[among], lane[among])
    order[tied] = among[np.lexsort(keys)]
    return order


def _is_as_before(values: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
    """Whether each entry but the first equals the one before it."""
    same: npt.NDArray[np.bool_] = values[1:] == values[:-1]
    return same


def _maxima(ends: Int64s) -> tuple[Int64s, ...]:
    levels = [_padded(ends)]
    while len(levels[-1]) > _FAN_OUT:
        levels.append(_padded(levels[-1].reshape(-1, _FAN_OUT).max(axis=1)))
    return tuple(levels)


def _padded(values: Int64s) -> Int64s:
    short = -len(values) % _FAN_OUT
    return np.concatenate([values, np.full(short, _NEVER, np.int64)])


def _last_in_block(ends: Int64s, block: Int64s, upto: Int64s, end_ns: Int64s) -> Int64s:
    """Last node of each block, at most `upto` into it, that reaches `end_ns`."""
    found, blocks = np.empty(len(block), np.int64), ends.reshape(-1, _FAN_OUT)
    # A block is sixteen times what is asked of it.
    for begin in range(0, len(block), _BLOCKS_AT_ONCE):
        piece = slice(begin, begin + _BLOCKS_AT_ONCE)
        fits = blocks[block[piece]] >= end_ns[piece, None]
        # A bit a node: the last one that is set is the exponent of the number that they make.
        bits = np.packbits(fits, bitorder="little").view("<u2") & ((2 << upto[piece]) - 1)
        found[piece] = np.where(bits > 0, block[piece] * _FAN_OUT + np.frexp(bits)[1] - 1, NONE)
    return found
