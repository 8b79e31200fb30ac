"""Which line a span lies on."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tbprof.analysis.figures.timeline_lanes import KINDS, SpanTable, nested_lines, tracks_of


def lines(*spans: tuple[int, int]) -> list[int]:
    return nested_lines(np.array([s for s, _ in spans]), np.array([e for _, e in spans])).tolist()


def test_what_lies_in_others_is_as_many_lines_below() -> None:
    assert lines((0, 10), (2, 8), (3, 4), (5, 6), (20, 30)) == [0, 1, 2, 2, 0]


def test_of_two_that_begin_together_the_longer_is_above() -> None:
    assert lines((0, 5), (0, 10)) == [1, 0]


def test_a_span_of_no_length_lies_in_what_runs_and_holds_nothing() -> None:
    assert lines((0, 10), (5, 5), (5, 7), (10, 10)) == [0, 2, 1, 0]


@given(st.lists(st.integers(0, 20), min_size=2, max_size=40))
def test_spans_of_one_line_never_overlap_where_all_are_nested(cuts: list[int]) -> None:
    spans = sorted(
        {
            (i, i + 1 + size)
            for i, size in enumerate(cuts)
            if all(j + 1 + other <= i or j + 1 + other >= i + 1 + size for j, other in enumerate(cuts[:i]))
        }
    )
    by_line: dict[int, list[tuple[int, int]]] = {}
    for line, span in zip(lines(*spans), spans, strict=True):
        by_line.setdefault(line, []).append(span)
    for mine in by_line.values():
        assert all(end <= start for (_, end), (start, _) in itertools.pairwise(mine))


def test_spans_around_an_instant_are_found_however_long_ago_they_began() -> None:
    start, end = np.array([0, 10, 20]), np.array([1000, 12, 22])
    zero = np.zeros(3, np.int64)
    [track] = tracks_of(0, SpanTable(start, end, zero, zero, np.arange(3), zero))
    assert track.row[track.during(500, 600)].tolist()[0] == 0
    assert track.row[track.during(2000, 3000)].tolist() == []


def test_each_kind_is_there_once() -> None:
    assert len(set(KINDS)) == len(KINDS)
