"""Rows by the text of their names."""

from __future__ import annotations

from trace_builder import TraceBuilder

from tbprof.analysis.names import matching_names, matching_rows
from tbprof.trace.columns.columns import Category


def test_a_pattern_matches_at_the_beginning() -> None:
    built = TraceBuilder()
    built.op("aten::item", 0, 1)
    built.op("my::aten::item", 2, 3)
    trace = built.trace()
    assert matching_names(trace, "aten::").tolist() == [True, False]


def test_rows_are_those_of_the_category_only() -> None:
    built = TraceBuilder()
    built.op("work", 0, 1)
    built.annotation("work", 2, 3)
    built.op("work", 4, 5)
    trace = built.trace()
    assert matching_rows(trace, "work", Category.CPU_OP).tolist() == [0, 2]
    assert matching_rows(trace, "work", Category.CPU_OP, Category.USER_ANNOTATION).tolist() == [0, 1, 2]
    assert matching_rows(trace, "work", Category.KERNEL).tolist() == []
