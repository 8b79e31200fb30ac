"""Launches and work of the GPU that do not find each other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from trace_builder import TraceBuilder

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
    assert told.numbers == {"steps": left_out, "of": 4, "launches": len(lost)}
    report = built.report()
    assert len(report.steps) == 4 - left_out
    assert idle_share(report) == pytest.approx(IDLE_SHARE, abs=0.01)


def test_without_a_whole_step_nothing_is_judged() -> None:
    report = steps(number=lambda at: None if at % LAUNCHES == 3 else at).report()
    assert report.verdict is not None
    assert report.verdict.case == "lost_kernels"


@pytest.mark.parametrize(
    ("lost", "part"), [(range(1, 9), "start"), (range(20, 33), "end"), (range(10, 12), None)]
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
