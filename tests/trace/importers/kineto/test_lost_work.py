"""Launches and work of the GPU that do not find each other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scenes import SIDE
from trace_builder import MAIN, TraceBuilder

from tbprof.model import HealthFact, Report
from tbprof.trace.columns.columns import Category, Trace

STEP_US, LAUNCHES = 1_000, 8
IDLE_SHARE = 1 - LAUNCHES * 40 / STEP_US


def steps(
    count: int = 4, *, number: Callable[[int], int | None] = lambda at: at, vendor: str = "hip"
) -> TraceBuilder:
    """Steps of 1 ms with 8 kernels each; `number` gives a kernel its correlation, None loses it."""
    trace = TraceBuilder(vendor=vendor)
    for step in range(count):
        start = STEP_US * step
        trace.step(step, start, start + STEP_US)
        for kernel in range(LAUNCHES):
            at, own = start + 10 + 100 * kernel, step * LAUNCHES + kernel + 1
            trace.call(f"{vendor}LaunchKernel", at, at + 5, correlation=own)
            given = number(own)
            if given is not None:
                trace.kernel(at + 10, at + 50, correlation=given)
    return trace


def fact(trace: Trace, code: str) -> HealthFact | None:
    return next((fact for fact in trace.health if fact.code == code), None)


def idle_share(report: Report) -> float:
    assert report.idle is not None
    return report.idle.total.device_ns / report.window_ns


@pytest.mark.parametrize(
    "number",
    [
        # roctracer gives rows of communication none.
        lambda at: 0 if at % 4 == 2 else at,
        # Four kernels share one.
        lambda at: (at - 1) // 4 * 4 + 1,
    ],
)
def test_rows_are_joined_with_as_many_launches_by_their_order(number: Callable[[int], int]) -> None:
    built = steps(number=number)
    trace = built.trace()
    correlation, category = trace.slices.correlation, trace.slices.category
    kernels, calls = correlation[category == Category.KERNEL], correlation[category == Category.RUNTIME]
    assert np.sort(kernels).tolist() == np.sort(calls).tolist()
    assert fact(trace, "gpu_rows_joined") is not None
    assert fact(trace, "launches_without_gpu_rows") is None
    assert idle_share(built.report()) == pytest.approx(IDLE_SHARE, abs=0.01)


def test_one_row_fewer_proves_nothing() -> None:
    lost = {2: None}
    trace = steps(number=lambda at: lost.get(at, 0 if at % 4 == 2 else at)).trace()
    assert fact(trace, "gpu_rows_joined") is None
    assert fact(trace, "launches_without_gpu_rows") is not None


@pytest.mark.parametrize(
    ("lost", "left_out"), [(range(1, 6), 1), (range(1, 17), 2), (range(20, 33), 2), (range(10, 14), 2)]
)
def test_steps_that_lack_work_are_left_out(lost: range, left_out: int) -> None:
    """The most in a row are kept: one between the second and the end leaves the last two."""
    built = steps(number=lambda at: None if at in lost else at)
    told = fact(built.trace(), "steps_left_out")
    assert told is not None
    end = {"part": "end", "device": 0} if lost[-1] == 4 * LAUNCHES else {}
    assert told.numbers == {"steps": left_out, "of": 4, "launches": len(lost), **end}
    report = built.report()
    assert len(report.steps) == 4 - left_out
    assert idle_share(report) == pytest.approx(IDLE_SHARE, abs=0.01)


def test_without_a_whole_step_nothing_is_judged() -> None:
    report = steps(number=lambda at: None if at % LAUNCHES == 3 else at).report()
    assert report.verdict is not None
    assert report.verdict.case == "lost_kernels"


@pytest.mark.parametrize(
    ("lost", "part"), [(range(1, 25), "start"), (range(17, 33), "end"), (range(10, 12), None)]
)
def test_the_part_that_was_lost_is_named(lost: range, part: str | None) -> None:
    built = TraceBuilder()
    for own in range(1, 33):
        at = 100.0 * own
        built.call("cudaLaunchKernel", at, at + 5, correlation=own)
        if own not in lost:
            built.kernel(at + 10, at + 50, correlation=own)
    told = fact(built.trace(), "launches_without_gpu_rows")
    assert told is not None
    assert told.numbers.get("part") == part


def two_devices(*, threads: bool, marks: bool, turns: int = 40, cut: int = 30) -> TraceBuilder:
    """A launch on GPU 0 and one on GPU 2 every 100 us, for 80 and 40; GPU 2 has no rows from a turn on."""
    built = TraceBuilder()
    for turn in range(turns):
        at = 100.0 * turn
        if marks and turn % 10 == 0:
            built.step(turn // 10, at, at + 1_000)
        built.launch(at + 1, at + 5, runs=(at + 10, at + 90))
        thread = MAIN + 1 if threads else MAIN
        if turn < cut:
            built.launch(at + 6, at + 9, runs=(at + 12, at + 52), device=2, thread=thread)
        else:
            built.call("cudaLaunchKernel", at + 6, at + 9, thread=thread)
    return built


@pytest.mark.parametrize("threads", [True, False])
def test_a_tail_that_one_of_two_devices_lacks_ends_the_window(threads: bool) -> None:
    built = two_devices(threads=threads, marks=False)
    told = fact(built.trace(), "part_left_out")
    assert told is not None
    assert told.numbers == {"rows": 10, "of": 80, "part": "end", "device": 2}
    report = built.report()
    assert report.window_ns == pytest.approx(2_980_000, abs=1)
    assert report.verdict is not None
    assert report.verdict.case != "lost_kernels"


@pytest.mark.parametrize("threads", [True, False])
def test_steps_before_the_tail_of_one_device_are_whole(threads: bool) -> None:
    built = two_devices(threads=threads, marks=True)
    told = fact(built.trace(), "steps_left_out")
    assert told is not None
    assert told.numbers == {"steps": 1, "of": 4, "launches": 10, "part": "end", "device": 2}
    assert len(built.report().steps) == 3


def test_what_one_device_lacks_is_a_share_of_its_own_launches() -> None:
    """Three of 80 launches are under the limit of a file, three of the 40 of GPU 2 are not."""
    told = fact(two_devices(threads=False, marks=False, cut=37).trace(), "part_left_out")
    assert told is not None
    assert told.numbers["rows"] == 3


def test_a_tail_that_leaves_nothing_to_judge_is_said_and_no_more() -> None:
    """Two of 41 launches: cut at the first, nothing would be left."""
    built = two_devices(threads=False, marks=False, turns=3, cut=1)
    for turn in range(3, 38):
        built.launch(100.0 * turn, 100.0 * turn + 4, runs=(100.0 * turn + 10, 100.0 * turn + 90))
    told = fact(built.trace(), "launches_without_gpu_rows")
    assert told is not None
    assert (told.severity, told.numbers["device"]) == ("info", 2)


def test_a_device_that_works_again_lost_no_tail() -> None:
    built = two_devices(threads=False, marks=False)
    built.launch(4_001, 4_005, runs=(4_010, 4_050), device=2)
    told = fact(built.trace(), "launches_without_gpu_rows")
    assert told is not None
    assert "part" not in told.numbers


def test_a_device_that_another_thread_used_before_is_not_blamed() -> None:
    built = two_devices(threads=True, marks=False)
    built.launch(0, 1, runs=(2, 4), device=3, thread=MAIN)
    told = fact(built.trace(), "part_left_out")
    assert told is not None
    assert told.numbers["device"] == 2


def test_steps_that_replay_graphs_are_whole() -> None:
    """One of a few other launches, after the steps, has no row."""
    built = TraceBuilder()
    for step in range(4):
        start = STEP_US * step
        built.step(step, start, start + STEP_US)
        correlation = built.call("cudaGraphLaunch", start + 10, start + 20)
        for kernel in range(5):
            built.kernel(start + 30 + 10 * kernel, start + 38 + 10 * kernel, correlation=correlation)
    built.launch(15, 18, runs=(100, 110))
    built.call("cudaLaunchKernel", 4 * STEP_US + 10, 4 * STEP_US + 15, correlation=999)
    assert len(built.report().steps) == 4
    assert fact(built.trace(), "steps_left_out") is None


def test_numbers_of_steps_may_come_twice() -> None:
    """Only the marks of those that lack work go."""
    built = TraceBuilder(vendor="hip")
    for step in range(8):
        start = STEP_US * step
        built.step(step % 4, start, start + STEP_US)
        for kernel in range(LAUNCHES):
            at, own = start + 10 + 100 * kernel, step * LAUNCHES + kernel + 1
            built.call("hipLaunchKernel", at, at + 5, correlation=own)
            if step >= 4:
                built.kernel(at + 10, at + 50, correlation=own)
    assert len(built.report().steps) == 4


@pytest.mark.parametrize("begun", [True, False])
def test_what_a_graph_is_recorded_of_was_not_lost(begun: bool) -> None:
    """Nor by autograd's thread, nor where the recording began ahead of the window."""
    built = TraceBuilder()
    if begun:
        built.call("cudaStreamBeginCapture", 0, 5)
    for number in range(10):
        at = 10.0 * number + 10
        built.call("cudaLaunchKernel", at, at + 5, correlation=100 + number, thread=SIDE if begun else MAIN)
    built.call("cudaStreamEndCapture", 200, 205)
    built.launch(300, 305, runs=(310, 400))
    trace = built.trace()
    assert fact(trace, "launches_captured") is not None
    assert fact(trace, "launches_without_gpu_rows") is None
