"""A sparse column answers as a dictionary would."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tbprof.report import report_of
from tbprof.trace.columns.arrays import SparseColumn
from tbprof.trace.columns.columns import Trace
from tbprof.trace.importers.kineto.interning import GrowingColumn


@given(st.dictionaries(st.integers(0, 50), st.integers(-5, 100)), st.lists(st.integers(0, 60)))
def test_at_answers_as_a_dictionary_would(cells: dict[int, int], asked: list[int]) -> None:
    rows = sorted(cells)
    column = SparseColumn(
        np.array(rows, np.int32), np.array([cells[row] for row in rows], np.int64), missing=-1
    )

    assert column.at(np.array(asked, np.int64)).tolist() == [cells.get(row, -1) for row in asked]


@given(st.lists(st.lists(st.integers(-1, 3), max_size=6), max_size=5))
def test_a_column_grows_by_what_is_known(batches: list[list[int]]) -> None:
    growing, first = GrowingColumn(np.int32), 0
    for batch in batches:
        growing.add(np.arange(first, first + len(batch), dtype=np.int32), np.array(batch, np.float64))
        first += len(batch)

    column = growing.take()
    everything = [value for batch in batches for value in batch]
    assert column.at(np.arange(first)).tolist() == everything
    assert (column.values != -1).all()


def test_an_empty_trace_has_rows_of_nothing() -> None:
    trace = Trace.empty("nothing.json")

    assert (trace.path, len(trace.slices), len(trace.slices.end_ns), trace.names) == (
        "nothing.json",
        0,
        0,
        (),
    )
    assert trace.bytes.at(np.array([0, 7])).tolist() == [0, 0]
    assert trace.device.at(np.array([0, 7])).tolist() == [-1, -1]
    assert (trace.kernels, trace.memory) == (None, None)
    assert report_of(trace).idle is None
