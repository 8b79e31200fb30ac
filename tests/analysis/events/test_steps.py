"""The steps of a window, and which of them holds an instant."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest
from hook_scenes import hook_facts, report_with
from hypothesis import given
from hypothesis import strategies as st
from public_report import PublicReport
from scenes import SIDE
from trace_builder import TraceBuilder

from tbprof.analysis.steps import Steps
from tbprof.model import Step
from tbprof.trace.columns.arrays import NONE


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
    built.synchronize("cudaStreamSynchronize", 400, 410)
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
    assert steps.index_of(instants).tolist() == [0, 0, NONE, 1, 1, NONE]


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 30)), min_size=1, max_size=6),
    st.lists(st.integers(-2, 70), min_size=1),
)
def test_of_steps_that_overlap_the_earlier_counts(spans: list[tuple[int, int]], instants: list[int]) -> None:
    """Several threads can mark steps; what one of them holds is never outside."""
    spans = sorted(spans, key=lambda span: span[0])
    start = np.array([begin for begin, _ in spans], np.int64)
    end = np.array([begin + length for begin, length in spans], np.int64)
    steps = Steps(("s",) * len(spans), start, end, start, end, (False,) * len(spans), lanes=(0,))

    expected = [
        next((i for i, (begin, length) in enumerate(spans) if begin <= at < begin + length), NONE)
        for at in instants
    ]
    assert steps.index_of(np.array(instants)).tolist() == expected


def test_a_wait_of_another_thread_is_in_the_step_that_runs() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.synchronize("cudaStreamSynchronize", 50, 60, thread=SIDE)
    assert built.report().steps[0].sync_points == 1


@pytest.mark.parametrize(("first", "cold"), [(165, (False, False, False)), (165.001, (True, False, False))])
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
        built.synchronize("cudaStreamSynchronize", start + 10, start + 20)
    report = built.report()
    assert report.steps[0].cold
    assert report.sync_points.wait_ns == 30_000


def test_a_step_in_which_the_hook_s_window_ended_is_none() -> None:
    built = TraceBuilder()
    for number in range(20, 23):
        built.step(number, 100 * number, 100 * number + 90)
    steps = report_with(hook_facts(first_step=20, recorded_steps=2), built).steps
    assert [step.name for step in steps] == ["ProfilerStep#20", "ProfilerStep#21"]


def test_an_evaluation_that_the_hook_left_out_belongs_to_no_step() -> None:
    built = TraceBuilder()
    for number in range(3):
        built.step(number, 1000 * number, 1000 * number + 1000)
    built.annotation("evaluation", 1010, 1600)
    built.annotation("loss", 1700, 1800)
    report = report_with(hook_facts(phases_left_out=("evaluation",)), built)
    assert [step.duration_ns for step in report.steps] == [1_000_000, 400_000, 1_000_000]
    assert [step.start_ns for step in report.steps] == [0, 1_600_000, 2_000_000]


def ahead(steps: int = 5, *, takes: float = 1000) -> TraceBuilder:
    """The host takes 100 us a step, the device `takes` us; it starts 50 us after the first step."""
    built = TraceBuilder()
    for number in range(steps):
        built.step(number, 100 * number, 100 * number + 100)
        built.launch(
            100 * number + 10, 100 * number + 15, runs=(50 + takes * number, 50 + takes * (number + 1))
        )
    return built


def test_behind_a_host_that_runs_ahead_the_steps_are_those_of_the_device() -> None:
    facts = ahead().facts()
    steps = facts.steps
    assert steps.of_device
    assert (steps.gpu_end_ns - facts.origin_ns).tolist() == [1_050_000 + 1_000_000 * n for n in range(5)]
    assert steps.duration_ns.tolist() == [1_050_000, *[1_000_000] * 4]
    assert int(facts.idle.by_device[0].device_ns.sum()) == 50_000, "one gap, where the device starts"


def test_up_to_a_tenth_of_a_step_behind_they_are_those_of_the_host() -> None:
    """The step's work ends 10, or 11, us after its end on the host."""
    for ends, of_device in ((110, False), (111, True)):
        built = TraceBuilder()
        built.step(1, 0, 100)
        built.launch(10, 11, runs=(20, ends))
        assert built.facts().steps.of_device is of_device


def test_what_the_device_still_did_before_the_steps_is_no_part_of_them() -> None:
    built = ahead()
    built.launch(-300, -295, runs=(-290, 40))
    facts = built.facts()
    assert int(facts.steps.gpu_start_ns[0] - facts.steps.start_ns[0]) == 40_000


def test_a_step_of_the_device_ends_with_its_own_annotation() -> None:
    """The launches of a step were not recorded, its range on the device was."""
    built = TraceBuilder()
    for number in range(3):
        built.step(number, 100 * number, 100 * number + 100)
        built.gpu_annotation(f"ProfilerStep#{number}", 1000 * number + 20, 1000 * number + 1000)
        built.kernel(1000 * number + 20, 1000 * number + 1000, correlation=0)
    steps = built.facts().steps
    assert steps.duration_ns.tolist() == [1_000_000] * 3


def test_a_step_in_which_nothing_ran_takes_no_time_of_the_device() -> None:
    built = ahead(4)
    built.step(4, 400, 500)
    assert built.facts().steps.duration_ns.tolist()[-1] == 0


def test_sync_points_stay_in_the_step_of_the_host() -> None:
    built = ahead()
    built.synchronize("cudaStreamSynchronize", 320, 321)
    built.call("cudaEventRecord", 330, 331)
    assert [step.sync_points for step in built.report().steps] == [0, 0, 0, 1, 0]


def test_a_trace_of_a_host_far_ahead_has_the_steps_of_its_device(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    """The host takes 35 ms for the first of five equal steps, until it waits for room in the queue."""
    report = public_report(traces / "hta_nccl_ddp" / "ns_resolution.json.gz")
    on_host, on_device = (
        [ns / 1e6 for ns in part] for part in zip(*map(_lengths, report.steps), strict=True)
    )
    assert max(on_host) > 2.5 * min(on_host)
    assert max(on_device) < 1.1 * min(on_device)
    assert report.verdict is not None
    assert report.verdict.case == "busy"


def _lengths(step: Step) -> tuple[int, int]:
    return step.duration_ns, step.length_ns


def two_steps_and_the_begin_of_a_third() -> TraceBuilder:
    built = TraceBuilder()
    for number in range(2):
        built.step(number, 1000 * number, 1000 * number + 1000)
        built.launch(1000 * number + 10, 1000 * number + 11, runs=(1000 * number + 20, 1000 * number + 900))
    built.step(2, 2000, 2010)
    return built


def test_a_last_step_in_which_nothing_happens_is_none() -> None:
    """As after `prof.step(); prof.stop()`: a step begins that never happens."""
    built = two_steps_and_the_begin_of_a_third()
    built.call("cudaDeviceSynchronize", 2002, 2008)
    assert built.facts().steps.names == ("ProfilerStep#0", "ProfilerStep#1")


@pytest.mark.parametrize("call", ["cudaStreamSynchronize", "cudaMemcpyAsync"])
def test_a_short_last_step_that_waits_or_copies_is_one(call: str) -> None:
    built = two_steps_and_the_begin_of_a_third()
    built.call(call, 2002, 2008)
    assert len(built.facts().steps) == 3
