"""The threads that hold up the training when they wait."""

from __future__ import annotations

import pathlib

from public_report import PublicReport
from scenes import SIDE, upload
from trace_builder import MAIN, TraceBuilder

from tbprof.analysis.facts import Facts

BACKWARD = "autograd::engine::evaluate_function: MulBackward0"


def threads(facts: Facts) -> list[str]:
    return [facts.trace.lanes[lane].thread for lane in facts.training_threads]


def test_they_are_the_one_with_the_steps_and_those_that_run_autograd() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.op(BACKWARD, 50, 90, thread=SIDE)
    built.op("aten::pin_memory", 50, 90, thread=555)
    for start in range(0, 30, 10):
        built.launch(start, start + 1, runs=(start + 2, start + 3), thread=555)
    assert threads(built.facts()) == [str(MAIN), str(SIDE)]


def test_a_thread_with_a_tenth_of_the_launches_to_their_streams_is_one_of_them() -> None:
    """So are the replicas of DataParallel; who launches to a stream of its own works beside them."""
    for stream, expected in ((7, [str(MAIN), str(SIDE)]), (20, [str(MAIN)])):
        built = TraceBuilder()
        built.step(1, 0, 1000)
        for start in range(0, 180, 20):
            built.launch(start, start + 1, runs=(start + 2, start + 3))
        built.launch(200, 201, runs=(202, 203), thread=SIDE, stream=stream)
        assert threads(built.facts()) == expected


def test_without_steps_they_are_those_with_a_tenth_of_the_launches() -> None:
    for others, expected in ((9, [str(MAIN), str(SIDE)]), (10, [str(SIDE)])):
        built = TraceBuilder()
        built.launch(0, 1, runs=(2, 3))
        for start in range(10, 10 + 10 * others, 10):
            built.launch(start, start + 1, runs=(start + 2, start + 3), thread=SIDE)
        assert threads(built.facts()) == expected


def test_without_steps_who_loads_data_or_steps_the_optimizer_is_one_of_them() -> None:
    for name in ("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "Optimizer.step#SGD.step"):
        built = TraceBuilder()
        built.annotation(name, 0, 100)
        built.launch(110, 111, runs=(112, 113), thread=SIDE)
        assert threads(built.facts()) == [str(MAIN), str(SIDE)]


def test_without_steps_who_makes_the_blocking_copies_is_one_of_them() -> None:
    built = TraceBuilder()
    upload(built, 0, wait=50, size_bytes=1000)
    built.launch(110, 111, runs=(112, 113), thread=SIDE)
    assert threads(built.facts()) == [str(MAIN), str(SIDE)]


def test_a_training_without_marked_steps_has_its_loader_and_its_uploads(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    """Autograd launches more than the thread that loads data and uploads it."""
    report = public_report(traces / "param_resnet_2080ti" / "resnet_kineto.json.gz")
    assert report.findings[0].rule == "DAT01"
    assert report.idle is not None
    assert report.idle.total.by_cause["data"] == 6_659_997_000


def test_without_steps_and_launches_there_is_none() -> None:
    built = TraceBuilder()
    built.synchronize("cudaStreamSynchronize", 0, 10)
    assert threads(built.facts()) == []
