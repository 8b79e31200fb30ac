"""Which intervals lie around a call: the same answer as looking at all of them."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbprof.analysis.nesting import Nest, nested
from tbprof.trace.columns.arrays import NONE
from tbprof.trace.columns.columns import Slices

Rows = list[tuple[int, int, int]]
"""Lane, start, duration."""

rows_of_ops = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 30), st.integers(0, 30)), max_size=60)
rows_of_calls = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 40), st.integers(0, 8)), min_size=1, max_size=10
)


def columns(rows: Rows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    table = np.array(rows, np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 1] + table[:, 2]


def slices_of(ops: Rows) -> Slices:
    lane, start, end = columns(ops)
    count = len(ops)
    return Slices(
        start_ns=start,
        duration_ns=end - start,
        name=np.zeros(count, np.int32),
        category=np.zeros(count, np.int8),
        lane=lane.astype(np.int32),
        correlation=np.full(count, -1, np.int64),
    )


def nest_of(ops: Rows) -> Nest:
    return Nest.of(slices_of(ops), np.arange(len(ops)))


def around(ops: Rows, call: tuple[int, int, int]) -> tuple[int, ...]:
    """Rows that contain the call, innermost first: later start, then shorter, then later in the file."""
    lane, start, duration = call
    holding = [
        row
        for row, (on, begin, length) in enumerate(ops)
        if on == lane and begin <= start and start + duration <= begin + length
    ]
    return tuple(sorted(holding, key=lambda row: (ops[row][1], -ops[row][2], row), reverse=True))


def chains(nest: Nest, lane: np.ndarray, start: np.ndarray, end: np.ndarray) -> list[tuple[int, ...]]:
    """Rows of all intervals around each call, innermost first, one level outwards at a time."""
    found: list[tuple[int, ...]] = [()] * len(lane)
    position = nest.innermost(lane, start, end)
    while (position != NONE).any():
        for call in np.flatnonzero(position != NONE).tolist():
            found[call] += (int(nest.rows[position[call]]),)
        position = nest.enclosing(position, end)
    return found


@given(rows_of_ops, rows_of_calls)
def test_a_chain_is_everything_around_a_call(ops: Rows, calls: Rows) -> None:
    assert chains(nest_of(ops), *columns(calls)) == [around(ops, call) for call in calls]


@given(rows_of_ops, rows_of_calls)
def test_the_innermost_is_the_first_of_the_chain(ops: Rows, calls: Rows) -> None:
    nest = nest_of(ops)
    position = nest.innermost(*columns(calls))
    found = [NONE if at == NONE else int(nest.rows[at]) for at in position.tolist()]
    assert found == [next(iter(around(ops, call)), NONE) for call in calls]


@pytest.mark.parametrize("count", [15, 16, 17, 256, 257, 4097])
def test_an_op_around_thousands_is_still_found(count: int) -> None:
    """The tree of maxima has one level at 16 ops, two at 256, three beyond."""
    ops = [(0, 0, 100_000), *((0, 10 * i + 1, 2) for i in range(count - 1))]
    call = (0, 99_000, 5)
    assert chains(nest_of(ops), *columns([call])) == [(0,)]


def test_of_two_equal_ops_the_one_later_in_the_file_is_the_inner_one() -> None:
    ops = [(0, 10, 20), (0, 10, 20), (0, 10, 20)]
    assert chains(nest_of(ops), *columns([(0, 10, 20)])) == [(2, 1, 0)]


def test_containment_has_no_slack() -> None:
    ops = [(0, 10, 20)]
    calls = [(0, 10, 20), (0, 9, 5), (0, 10, 21), (0, 30, 0), (0, 31, 0)]
    assert chains(nest_of(ops), *columns(calls)) == [(0,), (), (), (0,), ()]


def test_ops_of_another_lane_are_not_around() -> None:
    assert chains(nest_of([(1, 0, 100)]), *columns([(0, 10, 5), (1, 10, 5), (2, 10, 5)])) == [(), (0,), ()]


def test_a_file_without_ops_has_nothing_around_anything() -> None:
    nest = nest_of([])
    nothing = np.array([NONE])
    assert nest.innermost(*columns([(0, 1, 1)])).tolist() == [NONE]
    assert nest.enclosing(nothing, np.array([2])).tolist() == [NONE]


@given(rows_of_ops, rows_of_calls, st.integers(1, 12))
def test_calls_are_found_in_pieces_of_any_size(ops: Rows, calls: Rows, piece: int) -> None:
    nesting = "tbprof.analysis.nesting"
    with patch(f"{nesting}._AT_ONCE", piece), patch(f"{nesting}._BLOCKS_AT_ONCE", max(piece // 2, 1)):
        assert chains(nest_of(ops), *columns(calls)) == [around(ops, call) for call in calls]


@given(rows_of_ops)
def test_the_parent_of_an_interval_is_the_next_outwards(ops: Rows) -> None:
    nest, (_, _, end) = nest_of(ops), columns(ops)
    assert nest.parents().tolist() == nest.enclosing(np.arange(len(ops)), end[nest.rows]).tolist()


@pytest.mark.slow
@given(rows_of_ops, st.integers(1, 20))
def test_a_nest_alone_is_the_same_in_pieces_of_any_size(ops: Rows, piece: int) -> None:
    nest = nest_of(ops)
    rows, parents = nest.rows.tolist(), nest.enclosing(np.arange(len(ops)), columns(ops)[2][nest.rows])
    with patch("tbprof.analysis.nesting._AT_ONCE", piece):
        alone, around = nested(slices_of(ops), np.arange(len(ops)))
    assert (alone.tolist(), around.tolist()) == (rows, parents.tolist())
