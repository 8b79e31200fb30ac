"""Idle for which only the host's own pace is to blame."""

from __future__ import annotations

from trace_builder import TraceBuilder

from tbprof.analysis.figures.idle_places import find_launch_idle
from tbprof.trace.columns.arrays import NONE


def told() -> TraceBuilder:
    """Idle from 10 to 30, from 40 to 541, and from 560 on; launches end at 1, 30 and 541."""
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 1, runs=(1, 10))
    built.launch(28, 30, runs=(30, 40))
    built.launch(540, 541, runs=(541, 560))
    built.op("aten::item", 900, 1000)
    return built


def test_a_piece_ends_with_the_next_launch() -> None:
    facts = told().facts()
    pieces = find_launch_idle(facts)
    start = (pieces.idle.start_ns - facts.origin_ns).tolist()
    end = (pieces.idle.end_ns - facts.origin_ns).tolist()
    assert list(zip(start, end, strict=True)) == [
        (0, 1_000),
        (10_000, 30_000),
        (40_000, 541_000),
        (560_000, 1_000_000),
    ]
    slices = facts.trace.slices
    called = [None if row == NONE else int(slices.start_ns[row]) for row in pieces.launch.tolist()]
    assert called[3] is None
    assert [at - facts.origin_ns for at in called[:3] if at is not None] == [0, 28_000, 540_000]


def test_a_pause_is_the_time_since_the_launch_before() -> None:
    pieces = find_launch_idle(told().facts())
    assert pieces.pause_ns.tolist() == [0, 27_000, 510_000, 459_000]
    assert pieces.short().pause_ns.tolist() == [0, 27_000]
    assert pieces.long().pause_ns.tolist() == [510_000, 459_000]


def test_what_no_launch_ended_was_not_launching() -> None:
    built = told()
    built.launch(990, 991, runs=(991, 992))
    pieces = find_launch_idle(built.facts())
    assert pieces.pause_ns.tolist()[-1] == 9_000
    assert pieces.short().pause_ns.tolist() == [0, 27_000]


def test_without_a_device_there_is_none() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    assert len(find_launch_idle(built.facts()).idle) == 0
