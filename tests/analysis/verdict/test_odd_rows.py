"""What is said first of recordings whose rows are lost, shifted, malformed or doubled; the first action."""

from __future__ import annotations

import pytest
from first_said import rules_of, said_of
from odd_recordings import (
    A100,
    GEMM,
    LOADER,
    communication_without_calls,
    iterations_after_a_start,
    kernels,
    on_mps,
    on_the_cpu,
    shared_correlations,
    tiny_window_with_few_lost,
    training,
    without_rows,
)
from trace_builder import TraceBuilder

from tbprof.texts.health import health_sentence

LATE = "because the host is late to launch:"
OTHER_WORK = f"The GPU is idle 18 % of a step, 15 % {LATE} it does other work between launches."
"""What is true of `training()`, whatever became of some of its rows."""


TIMELESS = "Rows have no time, or one of another day: record again, with another version of torch."


def assert_other_work(built: TraceBuilder, verdict: str = OTHER_WORK) -> None:
    """The first sentence, and the first action, which is the same in each."""
    case, said = said_of(built)
    assert (case, said.verdict) == ("host_bound", verdict)
    assert said.action.startswith("First: shorten what the host does between `aten::mm` and `aten::mm`")


def test_a_few_lost_kernels_of_a_tiny_window_hide_nothing() -> None:
    case, said = said_of(tiny_window_with_few_lost())
    assert case == "host_bound"
    assert said.verdict.startswith(f"The GPU is idle 97 % of the window, 96 % {LATE} it does other")
    assert 'record_function("attention")' in said.action


@pytest.mark.parametrize("lost", [13, 40])
def test_rows_lost_at_the_start_leave_the_whole_steps(lost: int) -> None:
    assert_other_work(without_rows(training(), lambda number: number < lost))


def test_rows_that_end_too_late_are_cut() -> None:
    built = training(vendor="hip")
    kernels(built)[30]["dur"], kernels(built)[31]["dur"] = 1_500, 1_400
    assert_other_work(built, OTHER_WORK.replace("15 %", "14 %"))


def test_one_row_of_seconds_is_no_work() -> None:
    built = without_rows(training(steps=6, vendor="hip"), lambda number: number >= 40)
    kernels(built)[-1]["dur"] = 1_700_000
    assert_other_work(built)


def test_rows_of_one_correlation_are_joined_by_their_order() -> None:
    assert_other_work(shared_correlations())


def test_communication_without_calls_is_joined_by_its_order() -> None:
    built = communication_without_calls()
    case, said = said_of(built)
    assert case == "launch_bound"
    assert said.verdict.startswith(f"The GPU is idle 47 % of a step, 30 % {LATE} it launches kernels")
    assert "communication that no computing covers" in said.detail
    assert "launches_without_gpu_rows" not in [fact.code for fact in built.report().trace.health]


def test_a_constant_shift_of_the_gpus_clock_is_taken_off() -> None:
    built = training(vendor="hip", start_us=5_000)
    for row in kernels(built):
        row["ts"] -= 4_000
    assert_other_work(built, OTHER_WORK.replace("18 % of a step, 15 %", "18 % of a step"))


def test_a_clock_that_is_ahead_is_taken_off_where_no_queue_can_be_the_reason() -> None:
    """All kernels begin 250 ms late to the microsecond, and the GPU is idle in between."""
    built = training(vendor="hip", late_us=250_000)
    assert_other_work(built, OTHER_WORK.replace("18 % of a step, 15 %", "18 % of a step"))
    (said,) = [fact for fact in built.report().trace.health if fact.code == "gpu_clock_offset"]
    assert health_sentence(said).replace("\N{NARROW NO-BREAK SPACE}", " ") == (
        "The GPU's clock is 250.0 ms ahead of the host's: its 80 rows are moved by that much."
    )


def test_a_tail_that_is_lost_is_said_with_what_to_wait_for() -> None:
    """Before it all is there; the mark of the only step goes."""
    built = without_rows(training(steps=1, launches=60, device=2), lambda number: number >= 20)
    case, said = said_of(built)
    assert case == "busy"
    assert said.verdict == "The GPU is busy 90 % of the window, computing."
    (told,) = [fact for fact in built.report().trace.health if fact.code == "part_left_out"]
    assert health_sentence(told).replace("\N{NARROW NO-BREAK SPACE}", " ") == (
        "The recording lacks the GPU's work of 40 launches of 60, all at its end: the part before them is "
        "judged, as one window. Wait for GPU 2, with `torch.cuda.synchronize(2)`, before the profiler stops."
    )


def test_a_tail_that_is_most_of_the_recording_ends_the_verdict() -> None:
    built = without_rows(training(steps=1, launches=60), lambda number: number >= 10)
    case, said = said_of(built)
    assert case == "lost_kernels"
    assert said.verdict == "The recording lacks the GPU's work of 50 of 60 launches: it can't be judged."
    assert "with `torch.cuda.synchronize(0)`, before the profiler stops" in said.detail


def test_steps_that_are_one_are_judged_as_one() -> None:
    built = training(steps=5)
    built.events = [event for event in built.events if not event["name"].startswith("ProfilerStep")]
    built.step(0, 0, 11_000)
    assert_other_work(built, OTHER_WORK.replace("a step", "the step"))


def test_operators_that_did_not_end_change_nothing() -> None:
    built = training()
    built.op("aten::mm", 500, 499)
    assert_other_work(built)


def test_a_loader_that_is_an_annotation_is_one() -> None:
    built = TraceBuilder()
    for step in range(5):
        at = 3_000.0 * step
        built.step(step, at, at + 3_000)
        built.annotation(LOADER, at + 5, at + 1_505)
        for index in range(14):
            call = at + 1_550 + 100 * index
            built.op("aten::mm", call - 2, call + 8)
            built.launch(call, call + 6, runs=(call + 10, call + 100), name=GEMM)
    case, said = said_of(built)
    assert case == "input"
    assert (
        said.verdict
        == "The GPU is idle 58 % of a step, 50 % because it is waiting for data: the next batch is not ready."
    )
    assert said.action.startswith("First: prepare batches faster")


def test_work_without_length_is_none_to_judge_by() -> None:
    built = training()
    for row in kernels(built):
        row["dur"] = 0
    case, said = said_of(built)
    assert case == "lost_kernels"
    assert said.detail.startswith("Its rows of the GPU have no length")
    assert rules_of(built) == []


def test_a_gpu_program_is_none_of_apples_for_one_operator() -> None:
    built = training()
    built.op("aten::linear_backward", 5, 9)
    assert_other_work(built)


def test_rows_that_are_in_the_file_twice_count_once() -> None:
    built = training()
    built.events += [dict(row) for row in kernels(built)]
    assert_other_work(built)


def test_marks_that_are_in_the_file_twice_are_steps_once() -> None:
    built = training()
    built.events += [dict(one) for one in built.events if one["name"].startswith("ProfilerStep")]
    assert_other_work(built)


def test_rows_lost_in_the_middle_leave_the_most_whole_steps_in_a_row() -> None:
    built = without_rows(training(steps=8), lambda number: 60 <= number < 100)
    report = built.report()
    assert len(report.steps) == 3
    assert_other_work(built)


def test_what_the_program_does_minutes_later_is_outside() -> None:
    built = iterations_after_a_start()
    built.op("aten::save", 5e8, 5e8 + 100)
    case, said = said_of(built)
    assert case == "launch_bound"
    assert "13.9 ms of a recording of 500.0 s" in said.detail


def test_apples_gpu_without_reads_has_its_operators() -> None:
    built = on_mps()
    built.events = [one for one in built.events if "item" not in one["name"] and "scalar" not in one["name"]]
    case, said = said_of(built)
    assert (case, said.action) == ("unseen_device", "")
    assert "`aten::addcdiv_` 27.2 ms" in said.detail


def test_a_call_that_asks_for_gpus_launches_nothing_on_them() -> None:
    built = on_the_cpu(gpu=True)
    built.call("cudaGetDeviceCount", 1, 2)
    assert said_of(built)[0] == "on_cpu"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("CUDA graph 4", "First: record again, with nsys profile"),
        (GEMM, "First: nothing on the"),
    ],
)
def test_a_gpu_that_is_busy_with_whole_graphs_may_be_idle_inside_them(name: str, said: str) -> None:
    built = TraceBuilder()
    for turn in range(20):
        begins = 20 + 1_000.0 * turn
        built.launch(12.0 * turn, 12.0 * turn + 10, runs=(begins, begins + 999), name=name)
    case, opening = said_of(built)
    assert case == "busy"
    assert opening.action.startswith(said)


def test_a_graph_of_many_nodes_takes_long_to_launch_each_time() -> None:
    """1.6 ms for 1,400 nodes are no first call."""
    built = TraceBuilder()
    for turn in range(4):
        at = 14_050.0 * turn
        correlation = built.call("cudaGraphLaunch", at, at + 1_600)
        for node in range(1_400):
            begins = at + 1_000 + 10 * node
            built.kernel(begins, begins + 9.9, name=GEMM, correlation=correlation)
    case, said = said_of(built)
    assert case == "busy"
    assert (
        said.action
        == "First: nothing on the host is worth a change; only faster kernels, or fewer, save time."
    )
    assert "TRC01" not in rules_of(built)


def test_half_of_the_calls_without_a_time_end_the_verdict() -> None:
    """Nobody knows where their work was; what has a time makes no second window."""
    built = training()
    late = built.events[len(built.events) // 2 :]
    for event in late:
        event["ts"] = 0
    case, said = said_of(built)
    assert case == "lost_kernels"
    assert said.verdict == "The recording lacks the GPU's work of 40 of 80 launches: it can't be judged."
    assert said.detail == TIMELESS
    assert "stray_times" in [fact.code for fact in built.report().trace.health]


def test_kernels_without_a_time_are_lost_as_such() -> None:
    built = training()
    for row in kernels(built)[::7]:
        row["ts"] = row["dur"] = 0
    case, said = said_of(built)
    assert (case, said.verdict) == (
        "lost_kernels",
        "The recording lacks the GPU's work of 12 of 80 launches: it can't be judged.",
    )
    assert said.detail == TIMELESS
    assert not said.action.startswith("First")


def test_one_row_of_10_ms_does_not_fill_the_steps_that_it_runs_over() -> None:
    built = training(kernel_us=20, vendor="hip")
    kernels(built)[30]["dur"] = 1_900
    case, said = said_of(built)
    assert case == "launch_bound"
    assert said.verdict.startswith("The GPU is idle 8")
    assert said.action.startswith("First: launch fewer kernels: record a CUDA graph, or compile")


def test_the_length_of_an_exchange_is_its_kernels_and_not_its_ranges() -> None:
    """The host's range lasts 10 us, the kernel 170, and nothing runs beside it."""
    built = training(launches=10, kernel_us=90)
    built.rank = 0
    for step in range(4):
        at = 1_200.0 * step + 1_010
        built.annotation("nccl:all_reduce", at, at + 10)
        built.launch(
            at + 2, at + 6, runs=(at + 10, at + 180), name="ncclDevKernel_AllReduce_Sum_f32_RING_LL", stream=9
        )
    said = said_of(built)[1]
    assert "14 %" in f"{said.verdict} {said.detail}"


def convolutions(name: str, device: str, *, in_tf32: bool = False) -> TraceBuilder:
    """Nothing but convolutions, one after the other; a sixth of the time is another kernel's in TF32."""
    built = TraceBuilder()
    built.device_name = device
    for index in range(12):
        at, runs = 22.0 * index, (15 + 500.0 * index, 515 + 500.0 * index)
        built.op("aten::cudnn_convolution", at, at + 20)
        kernel = f"sm80_xmma_fprop_implicit_gemm_{TF32}" if in_tf32 and index % 6 == 0 else name
        built.launch(at + 5, at + 10, runs=runs, name=kernel)
    built.synchronize("cudaStreamSynchronize", 270, 6_020)
    return built


TF32 = "tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16"
AUTOCAST = (
    'First: compute in mixed precision: `torch.autocast("cuda", dtype=torch.bfloat16)` '
    "(above all in operator aten::cudnn_convolution): up to"
)


def test_convolutions_in_float32_want_half_precision_where_tf32_is_on_already() -> None:
    """What would turn TF32 on for products of matrices does nothing for them, and it is on."""
    built = convolutions("ampere_scudnn_128x32_relu_small_nn_v1", A100, in_tf32=True)
    case, said = said_of(built)
    assert (case, said.verdict) == ("busy", "The GPU is busy 100 % of the window, computing.")
    assert said.action.startswith(AUTOCAST)
    assert rules_of(built) == ["PRC01"]


@pytest.mark.parametrize(
    "name",
    [
        "void wgrad_alg1_engine<float, 128, 5, 5, 3, 3, 3, false, true>",
        "void dgrad_engine<float, 128, 6, 7, 3, 3, 5, false>",
        "void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>",
        "volta_sgemm_64x64_nt",
    ],
)
def test_every_engine_of_float32_counts(name: str) -> None:
    """On a T4 half precision is eight times as fast, and of all that time the ceiling is made."""
    built = convolutions(name, "Tesla T4")
    _, said = said_of(built)
    assert said.action == f"{AUTOCAST.replace('bfloat16', 'float16')} 5.3 ms of 6.0 ms."
    (found,) = [one for one in built.report().findings if one.rule == "PRC01"]
    assert found.numbers()["share"] == pytest.approx(1, abs=0.01)
