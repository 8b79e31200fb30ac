"""First calls: kernels and library handles are loaded."""

from __future__ import annotations

import pathlib

import pytest
from public_report import PublicReport
from scenes import SIDE
from trace_builder import MAIN, TraceBuilder

from tbprof.model import Report


def idle_of(report: Report, cause: str) -> int:
    assert report.idle is not None
    return report.idle.total.by_cause.get(cause, 0)


def first_call(name: str, length: float, *, thread: int = MAIN, op: str = "aten::addmm") -> Report:
    """A window of 50 ms in which one call of `length` us leaves the device idle."""
    built = TraceBuilder()
    built.launch(0, 5, runs=(10, 100))
    built.op(op, 150, 180 + length, thread=thread)
    correlation = built.call(name, 160, 160 + length, thread=thread)
    if "Launch" in name:
        built.kernel(160 + length, 161 + length, correlation=correlation)
    built.launch(49_000, 49_005, runs=(49_010, 50_000))
    return built.report()


@pytest.mark.parametrize(
    "name", ["cudaLaunchKernel", "hipLaunchKernel", "cudaGetDeviceProperties", "cuModuleLoadData"]
)
def test_a_call_of_a_millisecond_loads_something(name: str) -> None:
    assert idle_of(first_call(name, 20_000), "loading") == 20_000_000
    assert idle_of(first_call(name, 999), "loading") == 0


def test_frees_while_a_library_creates_its_handle_are_no_matter_of_the_allocator() -> None:
    report = first_call("cudaFree", 20_000)
    assert (idle_of(report, "loading"), idle_of(report, "allocator")) == (20_000_000, 0)


@pytest.mark.parametrize("name", ["cudaMalloc", "cudaHostAlloc", "cudaStreamSynchronize"])
def test_allocations_and_waits_are_other_matters(name: str) -> None:
    assert idle_of(first_call(name, 20_000), "loading") == 0


@pytest.mark.parametrize("name", ["cudaGraphLaunch", "hipGraphLaunch"])
def test_the_launch_of_a_graph_takes_as_long_each_time(name: str) -> None:
    """About 1.2 us for each of its nodes."""
    assert idle_of(first_call(name, 20_000), "loading") == 0


def test_another_thread_is_no_matter_of_the_training() -> None:
    assert idle_of(first_call("cudaGetDeviceProperties", 20_000, thread=SIDE), "loading") == 0


@pytest.mark.parametrize(
    ("op", "rest", "loading"),
    [("aten::cudnn_convolution", 9_000, 29_000), ("aten::mm", 999, 20_000), ("my::op", 9_000, 20_000)],
)
def test_what_a_library_does_on_the_host_while_it_is_set_up_is_loading(
    op: str, rest: float, loading: float
) -> None:
    """An operator of torch with a first call of 20 ms, and so much time without one after it."""
    built = TraceBuilder()
    built.launch(0, 5, runs=(10, 100))
    built.op(op, 1_000, 21_000 + rest + 10)
    built.call("cudaGetSymbolAddress", 1_000, 21_000)
    built.launch(21_000 + rest, 21_005 + rest, runs=(49_010, 50_000))
    assert idle_of(built.report(), "loading") == loading * 1000


def steps(long_in: set[int]) -> Report:
    """Four steps of 10 ms; in some of them a launch takes 5 of them."""
    built = TraceBuilder()
    for number in range(4):
        start = 10_000 * number
        built.step(number, start, start + 10_000)
        length = 5_000 if number in long_in else 5
        built.launch(start + 1_000, start + 1_000 + length, runs=(start + 6_500, start + 10_000))
    return built.report()


def test_what_is_as_long_in_every_step_is_no_first_call() -> None:
    assert idle_of(steps({0}), "loading") == 5_000_000
    assert idle_of(steps({0, 1, 2, 3}), "loading") == 0


def test_a_first_window_of_a_process_is_told_as_one(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    """979 of 1,069 ms by a derivation of its own, from launches of more than 2 ms; in some of their operators
    MIOpen works for another 21 ms without a call.
    """
    path = traces / "mi300_normalization_cold" / "normalization_layer_test.json.gz"
    report = public_report(path)
    assert 999e6 < idle_of(report, "loading") < 1001e6
    assert report.findings[0].rule == "TRC01"
    assert report.verdict is not None
    assert report.verdict.case == "cold_start"
