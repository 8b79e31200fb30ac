"""The threads that hold up the training when they wait."""

from __future__ import annotations

from scenes import SIDE
from trace_builder import MAIN, TraceBuilder

from tbprof.analysis.facts import Facts

BACKWARD = "autograd::engine::evaluate_function: MulBackward0"


def threads(facts: Facts) -> list[str]:
    return [facts.trace.lanes[lane].thread for lane in facts.training_lanes]


def test_they_are_the_one_with_the_steps_and_those_that_run_autograd() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.op(BACKWARD, 50, 90, thread=SIDE)
    built.op("aten::pin_memory", 50, 90, thread=555)
    for start in range(0, 30, 10):
        built.launch(start, start + 1, runs=(start + 2, start + 3), thread=555)
    assert threads(built.facts()) == [str(MAIN), str(SIDE)]


def test_without_steps_it_is_the_thread_with_most_launches() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(2, 3))
    built.launch(10, 11, runs=(12, 13), thread=SIDE)
    built.launch(20, 21, runs=(22, 23), thread=SIDE)
    assert threads(built.facts()) == [str(SIDE)]


def test_without_steps_and_launches_there_is_none() -> None:
    built = TraceBuilder()
    built.synchronise("cudaStreamSynchronize", 0, 10)
    assert threads(built.facts()) == []
