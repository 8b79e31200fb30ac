"""The ops of a site: those of its thread that contain the call, innermost first."""

from __future__ import annotations

from scenes import SIDE
from trace_builder import TraceBuilder


def ops_of(built: TraceBuilder) -> list[tuple[str, ...]]:
    built.copy("DtoH", "pageable", 50, 60, runs=(52, 58))
    return [site.ops for site in built.report().sites]


def test_ops_are_innermost_first_and_repeats_stay() -> None:
    built = TraceBuilder()
    built.op("aten::to", 0, 100)
    built.op("aten::_to_copy", 10, 90)
    built.op("aten::to", 20, 80)
    assert ops_of(built) == [("aten::to", "aten::_to_copy", "aten::to")]


def test_of_equal_intervals_the_one_later_in_the_file_is_inside() -> None:
    """In files of whole us an op and what it calls often look the same."""
    built = TraceBuilder("2022")
    built.op("aten::item", 40, 70)
    built.op("aten::_local_scalar_dense", 40, 70)
    assert ops_of(built) == [("aten::_local_scalar_dense", "aten::item")]


def test_annotations_and_frames_are_no_ops() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.annotation("forward", 10, 90)
    built.frame("train.py(1): main", 20, 80)
    built.op("aten::item", 30, 70)
    assert ops_of(built) == [("aten::item",)]


def test_a_step_of_2021_is_no_op_though_the_file_calls_it_one() -> None:
    built = TraceBuilder("2021")
    built.step(1, 0, 100)
    built.op("aten::item", 30, 70)
    assert ops_of(built) == [("aten::item",)]


def test_ops_of_another_thread_are_not_around_it() -> None:
    built = TraceBuilder()
    built.op("aten::linear", 0, 100, thread=SIDE)
    assert ops_of(built) == [()]


def test_an_op_that_ends_a_ns_before_the_call_does_is_not_around_it() -> None:
    built = TraceBuilder()
    built.op("aten::to", 50, 60)
    built.op("aten::_to_copy", 50, 59.999)
    built.op("aten::item", 50.001, 60)
    assert ops_of(built) == [("aten::to",)]


def test_an_autograd_thread_has_the_ops_of_its_own_and_not_the_forward_one() -> None:
    built = TraceBuilder()
    built.op("aten::index", 0, 40)
    built.op("autograd::engine::evaluate_function: IndexBackward0", 40, 100, thread=SIDE)
    built.op("IndexBackward0", 45, 95, thread=SIDE)
    built.copy("HtoD", "pageable", 50, 60, runs=(52, 58), thread=SIDE)
    built.synchronize("cudaStreamSynchronize", 61, 62, thread=SIDE)

    ops = [site.ops for site in built.report().sites]
    assert ops == [("IndexBackward0", "autograd::engine::evaluate_function: IndexBackward0")]
