"""The steps of a window, and which of them holds an instant."""

from __future__ import annotations

import numpy as np
import pytest
from hook_scenes import hook_facts, report_with
from hypothesis import given
from hypothesis import strategies as st
from scenes import SIDE
from trace_builder import TraceBuilder

from tbprof.analysis.steps import OUTSIDE, Steps


def test_steps_are_the_profilers_on_the_host_in_the_order_of_time() -> None:
    built = TraceBuilder()
    built.step(8, 100, 200)
    built.step(7, 0, 100)
    built.annotation("epoch", 0, 300)
    built.gpu_annotation("ProfilerStep#7", 10, 150)

    report = built.report()
    assert [(step.name, step.start_ns, step.duration_ns) for step in report.steps] == [
        ("ProfilerStep#7", 0, 100_000),
        ("ProfilerStep#8", 100_000, 100_000),
    ]


def test_steps_of_2021_are_found_though_the_file_calls_them_operators() -> None:
    built = TraceBuilder("2021")
    built.step(5, 0, 100)
    assert [step.name for step in built.report().steps] == ["ProfilerStep#5"]


def test_without_steps_the_window_reaches_from_the_first_device_row_to_the_last() -> None:
    built = TraceBuilder()
    built.op("aten::add", 0, 500)
    built.launch(10, 11, runs=(20, 30))
    built.launch(40, 41, runs=(50, 80))
    built.synchronise("cudaStreamSynchronize", 400, 410)
    (step,) = built.report().steps

    assert (step.name, step.start_ns, step.duration_ns) == ("window", 20_000, 60_000)
    assert (step.sync_points, step.wait_ns) == (1, 10_000)
    assert (step.device_idle_ns, step.gpu_lag_ns) == (20_000, None)


def test_without_steps_and_device_rows_the_window_holds_all_events() -> None:
    built = TraceBuilder()
    built.op("aten::add", 5, 500)
    (step,) = built.report().steps
    assert (step.name, step.start_ns, step.duration_ns) == ("window", 0, 495_000)
    assert (step.device_idle_ns, step.idle_empty_ns) == (None, None)


def test_a_step_holds_its_start_and_not_its_end() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.step(2, 150, 250)
    steps = built.facts().steps

    instants = built.origin_ns + np.array([0, 99_999, 100_000, 150_000, 249_999, 250_000])
    assert steps.index_of(instants).tolist() == [0, 0, OUTSIDE, 1, 1, OUTSIDE]


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 30)), min_size=1, max_size=6),
    st.lists(st.integers(-2, 70), min_size=1),
)
def test_of_steps_that_overlap_the_earlier_counts(spans: list[tuple[int, int]], instants: list[int]) -> None:
    """Several threads can mark steps; what one of them holds is never outside."""
    spans = sorted(spans, key=lambda span: span[0])
    start = np.array([begin for begin, _ in spans], np.int64)
    end = np.array([begin + length for begin, length in spans], np.int64)
    steps = Steps(("s",) * len(spans), start, end, (False,) * len(spans), lanes=(0,))

    expected = [
        next((i for i, (begin, length) in enumerate(spans) if begin <= at < begin + length), OUTSIDE)
        for at in instants
    ]
    assert steps.index_of(np.array(instants)).tolist() == expected


def test_a_wait_of_another_thread_is_in_the_step_that_runs() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.synchronise("cudaStreamSynchronize", 50, 60, thread=SIDE)
    assert built.report().steps[0].sync_points == 1


@pytest.mark.parametrize(
    ("first", "cold"), [(165, (False, False, False)), (165.001, (True, False, False))]
)
def test_a_first_step_beyond_one_and_a_half_times_the_median_of_the_others_is_cold(
    first: float, cold: tuple[bool, ...]
) -> None:
    built = TraceBuilder()
    built.step(1, 0, first)
    built.step(2, 200, 300)
    built.step(3, 300, 420)
    assert tuple(step.cold for step in built.report().steps) == cold


def test_of_two_steps_none_is_called_cold() -> None:
    built = TraceBuilder()
    built.step(1, 0, 900)
    built.step(2, 1000, 1100)
    assert [step.cold for step in built.report().steps] == [False, False]


def test_totals_hold_cold_steps_as_well() -> None:
    built = TraceBuilder()
    for number, (start, end) in enumerate([(0, 500), (500, 600), (600, 700)]):
        built.step(number, start, end)
        built.synchronise("cudaStreamSynchronize", start + 10, start + 20)
    report = built.report()
    assert report.steps[0].cold
    assert report.sync_points.wait_ns == 30_000


def test_an_evaluation_that_the_hook_left_out_belongs_to_no_step() -> None:
    built = TraceBuilder()
    for number in range(3):
        built.step(number, 1000 * number, 1000 * number + 1000)
    built.annotation("evaluation", 1010, 1600)
    built.annotation("loss", 1700, 1800)
    report = report_with(hook_facts(phases_left_out=("evaluation",)), built)
    assert [step.duration_ns for step in report.steps] == [1_000_000, 400_000, 1_000_000]
    assert [step.start_ns for step in report.steps] == [0, 1_600_000, 2_000_000]
