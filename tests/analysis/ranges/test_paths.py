"""Ranges merged by their paths."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.figures.program_ranges import depths_of, merge_paths, totals_of
from tbprof.trace.columns.arrays import NONE

A, B = 5, 9


def test_equal_paths_are_one_node() -> None:
    #          A  > B        A  > B        B
    names = np.array([A, B, A, B, B])
    parents = np.array([NONE, 0, NONE, 2, NONE])
    paths = merge_paths(names, parents)
    assert paths.parent.tolist() == [NONE, 0, 0, 1]
    assert paths.name.tolist() == [NONE, A, B, B]
    assert paths.node.tolist() == [1, 3, 1, 3, 2]


def test_a_function_that_calls_itself_lies_in_itself() -> None:
    paths = merge_paths(np.array([A, A, A]), np.array([NONE, 0, 1]))
    assert paths.parent.tolist() == [NONE, 0, 1, 2]


def test_without_ranges_there_is_the_root_alone() -> None:
    none = np.empty(0, np.int64)
    assert merge_paths(none, none).parent.tolist() == [NONE]


def test_a_total_is_what_lies_inside() -> None:
    parent = np.array([NONE, 0, 0, 1])
    assert totals_of(parent, np.array([1, 10, 100, 1000])).tolist() == [1111, 1010, 100, 1000]


def test_depth_counts_what_is_around() -> None:
    chain = np.arange(-1, 40)
    assert depths_of(chain).tolist() == list(range(41))
