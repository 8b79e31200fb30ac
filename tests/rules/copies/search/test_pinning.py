"""Calls by which the training threads pin host memory."""

from __future__ import annotations

from trace_builder import TraceBuilder

from tbprof.analysis.intervals import total_ns
from tbprof.rules.copies.cpy11_pin_in_hot_loop import find_pinning


def test_calls_within_calls_count_once() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.op("aten::pin_memory", 100, 200)
    built.op("aten::_pin_memory", 110, 190)
    built.call("cudaHostAlloc", 120, 150)
    built.call("cudaHostAlloc", 300, 340)
    pinning = find_pinning(built.facts())
    assert (len(pinning.rows), total_ns(pinning.during)) == (2, 140_000)


def test_a_call_that_touches_the_one_before_counts_by_itself() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.op("aten::pin_memory", 100, 200)
    built.op("aten::pin_memory", 200, 300)
    assert len(find_pinning(built.facts()).rows) == 2


def test_is_pinned_pins_nothing() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.op("aten::is_pinned", 100, 200)
    built.op("aten::pin_memory_like", 300, 400)
    assert len(find_pinning(built.facts()).rows) == 0


def test_a_trace_without_anything_pinned_has_none() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    pinning = find_pinning(built.facts())
    assert (pinning.rows.tolist(), pinning.step.tolist(), len(pinning.during)) == ([], [], 0)
