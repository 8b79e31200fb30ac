"""What lies around each episode on its thread, or just before it."""

from __future__ import annotations

import pytest
from scenes import SIDE
from trace_builder import MAIN, TraceBuilder

from tbprof.rules.base.launching import first_after_op, in_frames, in_ranges


def waits(built: TraceBuilder) -> TraceBuilder:
    """One from 100 to 200."""
    built.launch(10, 15, runs=(20, 190))
    built.synchronize("cudaStreamSynchronize", 100, 200)
    return built


@pytest.mark.parametrize(("start", "end", "inside"), [(100, 200, True), (100, 199, False), (101, 200, False)])
def test_a_frame_holds_the_whole_call(start: float, end: float, inside: bool) -> None:
    built = waits(TraceBuilder())
    built.frame("torch/amp/grad_scaler.py(1): step", start, end)
    assert in_frames(built.facts(), r".*grad_scaler\.py\(").tolist() == [inside]


def test_a_range_is_an_op_or_an_annotation_and_no_frame() -> None:
    for verb, inside in (("op", True), ("annotation", True), ("frame", False)):
        built = waits(TraceBuilder())
        getattr(built, verb)("backward", 50, 300)
        assert in_ranges(built.facts(), "backward").tolist() == [inside]


def test_what_another_thread_does_is_not_around_it() -> None:
    built = waits(TraceBuilder())
    built.op("backward", 50, 300, thread=SIDE)
    built.op("check", 50, 90, thread=SIDE)
    facts = built.facts()
    assert in_ranges(facts, "backward").tolist() == [False]
    assert first_after_op(facts, "check", 10_000).tolist() == [False]


@pytest.mark.parametrize(("ends", "soon"), [(90, True), (89, False), (100, True), (101, False)])
def test_soon_after_is_counted_from_the_end_of_the_op(ends: float, soon: bool) -> None:
    built = waits(TraceBuilder())
    built.op("check", 50, ends, thread=MAIN)
    assert first_after_op(built.facts(), "check", 10_000).tolist() == [soon]


def test_what_comes_second_after_the_op_is_not_its_own() -> None:
    built = waits(TraceBuilder())
    built.op("check", 50, 99)
    built.synchronize("cudaStreamSynchronize", 201, 202)
    assert first_after_op(built.facts(), "check", 10**9).tolist() == [True, False]
