"""What is said first of a recording that is odd: its case with its figures, and the first action."""

from __future__ import annotations

import pytest
from odd_recordings import (
    A100,
    GEMM,
    LOADER,
    all_rows_lost,
    attention_on_the_cpu,
    communication_without_calls,
    exchange_after_a_start,
    held_back_submissions,
    iterations_after_a_start,
    kernels,
    launching_thread_without_operators,
    loader_before_the_window,
    on_mps,
    on_the_cpu,
    shared_correlations,
    staged_uploads,
    tiny_window_with_few_lost,
    training,
    without_rows,
)
from shape_scenes import typed_op
from trace_builder import TraceBuilder

from tbprof.judge.words import verdict_figures
from tbprof.texts.figures.places import scope_of
from tbprof.views.opening import Opening, opening_of


def said_of(built: TraceBuilder) -> tuple[str, Opening]:
    """The case, and the opening with plain spaces."""
    report = built.report()
    assert report.verdict is not None
    opening = opening_of(report)
    texts = (opening.verdict, opening.detail, opening.action)
    return report.verdict.case, Opening(*(text.replace("\N{NARROW NO-BREAK SPACE}", " ") for text in texts))


def rules_of(built: TraceBuilder) -> list[str]:
    """The rules with a finding of medium or more, worst first."""
    return [one.rule for one in built.report().findings if one.severity not in ("low", "info")]


def test_iterations_that_are_all_there_have_their_own_cause_whatever_lies_before_them() -> None:
    case, said = said_of(iterations_after_a_start())
    assert case == "launch_bound"
    assert said.verdict == (
        "The GPU is idle 98 % of the window, 97 % because the host is late to launch: "
        "it launches kernels more slowly than the GPU"
        " runs them."
    )
    assert said.detail.endswith("The GPU's work is within 13.9 ms of a recording of 43.9 ms.")
    assert said.action.startswith("First: launch fewer kernels")


def test_two_turns_are_no_loop_that_is_known_to_go_on() -> None:
    case, said = said_of(iterations_after_a_start(turns=2))
    assert case == "outside_window"
    assert said.detail.count("of a recording of") == 0


def test_an_exchange_has_its_cause_with_other_ranks_whatever_lies_before_it() -> None:
    case, said = said_of(exchange_after_a_start())
    assert case == "communication"
    assert said.verdict.startswith("The GPU spends 97 % of the window in communication")
    assert "within 2.0 ms of a recording of 6.0 ms" in said.detail
    assert said.action.startswith("First: find the late rank")


def test_no_cause_is_claimed_of_a_thread_that_recorded_no_operators() -> None:
    built = launching_thread_without_operators()
    case, said = said_of(built)
    assert case == "host_unrecorded"
    assert said.verdict == (
        "The GPU is idle 18 % of a step, 15 % because the host is late to launch; what it does "
        "meanwhile was not recorded."
    )
    assert said.action == (
        "First: record the operators of the threads that launch, too: for 0.3 ms of 2.2 ms nobody knows what "
        "the host does."
    )
    assert "LCH02" not in [finding.rule for finding in built.report().findings]
    assert "no_launching_operators" in [fact.code for fact in built.report().trace.health]


def test_a_range_of_the_thread_says_what_it_does_as_operators_do() -> None:
    built = launching_thread_without_operators()
    built.annotation("evaluate", 2_015, 2_190)
    assert said_of(built)[0] == "host_bound"


def test_with_operators_the_host_is_to_blame() -> None:
    case, said = said_of(training())
    assert case == "host_bound"
    assert said.action.startswith("First: shorten what the host does between `aten::mm` and `aten::mm`")
    assert rules_of(training()) == ["LCH02"]


def test_what_waits_for_apples_gpu_is_no_work_of_a_cpu() -> None:
    case, said = said_of(on_mps())
    assert case == "unseen_device"
    assert said.verdict == "The work ran on Apple's GPU (MPS), which torch.profiler does not record."
    assert "80 reads of a number last 23.7 ms" in said.detail
    assert "`aten::addcdiv_` 27.2 ms, 46 % of their time" in said.detail
    assert said.action == (
        "First: read numbers back later, or less often: the host stands in reads for 23.7 ms of 71.9 ms."
    )
    assert rules_of(on_mps()) == []


def test_reads_and_operators_are_those_of_one_step() -> None:
    built = on_mps(turns=80)
    for number in range(10):
        built.step(number, 7_200.0 * number, 7_200.0 * number + 7_200)
    said = said_of(built)[1]
    assert "8 reads of a number a step last 2.4 ms" in said.detail
    assert "Its largest operators of a step: `aten::addcdiv_` 2.7 ms, 46 % of their time" in said.detail
    assert said.action.endswith("the host stands in reads for 2.4 ms of 7.2 ms a step.")
    verdict = built.report().verdict
    assert verdict is not None
    assert verdict_figures(verdict.case, verdict.figures.numbers()) == verdict.figures


def test_a_nested_tensor_of_the_cpu_has_an_operator_of_apples_gpu() -> None:
    built = on_the_cpu(gpu=False)
    built.op("aten::linear_backward", 3_850, 3_900)
    assert said_of(built)[0] == "no_device"


@pytest.mark.parametrize("convolution", ["aten::mkldnn_convolution", "aten::thnn_conv2d"])
def test_a_model_on_the_cpu_of_a_machine_with_a_gpu_is_said_as_that(convolution: str) -> None:
    case, said = said_of(on_the_cpu(gpu=True, convolution=convolution))
    assert case == "on_cpu"
    assert said.verdict == "The model runs on the CPU of a machine with a GPU, Tesla T4."
    assert said.detail == (
        f"Its largest operators: `{convolution}` 30.0 ms, 81 % of their time, `aten::native_batch_norm` "
        "7.0 ms, 19 %."
    )
    assert said.action.startswith("First: move the model and its batches to the GPU")


def test_on_a_cpu_what_takes_the_time_is_named() -> None:
    case, said = said_of(on_the_cpu(gpu=False))
    assert case == "no_device"
    assert said.verdict == "No GPU work was recorded: the model runs on the CPU."
    assert "`aten::mkldnn_convolution` 30.0 ms, 81 % of their time" in said.detail


def test_what_a_gpu_would_run_is_not_called_a_model_on_the_cpu() -> None:
    """Launching takes microseconds, and first calls take seconds once."""
    built = on_the_cpu(gpu=True, convolution="aten::cudnn_convolution")
    built.events = [event for event in built.events if event["dur"] < 100]
    for turn in range(10):
        built.op("aten::addmm", 100.0 * turn, 100.0 * turn + (50_000 if turn == 9 else 20))
    case, said = said_of(built)
    assert (case, said.verdict) == ("no_device", "No GPU work was recorded.")


AUGMENTATION = "aten::_upsample_bilinear2d_aa"


def with_loader(*, model: tuple[str, ...], marked: bool = False, loads: str = AUGMENTATION) -> TraceBuilder:
    """Steps in which a loader computes for 24 ms, and the operators of a model are over in 40 us each."""
    built = TraceBuilder()
    for turn in range(4):
        at = 40_000.0 * turn
        if marked:
            built.annotation(LOADER, at, at + 24_000)
        for index in range(8):
            built.op(loads, at + 3_000 * index + 1, at + 3_000 * index + 2_999)
        for index in range(60 * len(model)):
            begin = at + 24_010 + 50 * index
            built.op(model[index % len(model)], begin, begin + 40)
    built.members["deviceProperties"] = [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}]
    return built


@pytest.mark.parametrize(
    "built",
    [
        with_loader(model=("aten::cudnn_convolution", "aten::cudnn_batch_norm")),
        with_loader(model=("aten::addmm", "aten::_flash_attention_forward")),
        with_loader(model=("aten::addmm", "aten::record_stream"), loads="aten::mkldnn_convolution"),
        with_loader(model=("aten::addmm", "nccl:all_reduce"), loads="aten::mm"),
        with_loader(model=("aten::addmm", "aten::gelu")),
        with_loader(model=("aten::addmm", "aten::gelu"), loads="aten::mkldnn_convolution", marked=True),
        with_loader(model=("aten::addmm", "aten::gelu"), loads="aten::conv2d", marked=True),
        with_loader(model=("aten::rand", "aten::pow"), loads="aten::rand"),
    ],
)
def test_a_loader_on_the_cpu_is_no_model_there(built: TraceBuilder) -> None:
    case, said = said_of(built)
    assert (case, said.verdict) == ("no_device", "No GPU work was recorded.")
    assert "move the model" not in said.action
    assert not [fact for fact in built.report().trace.health if "ran_on" in fact.numbers]


@pytest.mark.parametrize("name", ["aten::addmm", "aten::_slow_conv2d_backward", "AddmmBackward0"])
def test_a_models_own_operators_that_last_are_one_on_the_cpu(name: str) -> None:
    built = with_loader(model=("aten::cudnn_is_acceptable",), loads=name)
    assert said_of(built)[0] == "on_cpu"


@pytest.mark.parametrize(
    ("versions", "said"),
    [
        (
            {"cupti_version": 18, "cuda_driver_version": 12040},
            "CUPTI (version 18) is older than the driver, for CUDA 12.4: take a torch that is built for that",
        ),
        (
            {"cupti_version": 18, "cuda_runtime_version": 12010, "cuda_driver_version": 13000},
            "CUPTI (version 18, of CUDA 12.1) is older than the driver, for CUDA 13.0",
        ),
        (
            {"cupti_version": 28, "cuda_runtime_version": 12090, "cuda_driver_version": 12080},
            "CUPTI (version 28, of CUDA 12.9) is newer than the driver, for CUDA 12.8: update the driver.",
        ),
        (
            {"cupti_version": 26, "cuda_runtime_version": 12080, "cuda_driver_version": 12080},
            "CUPTI and the driver are both of CUDA 12.8: another profiler holds the GPU",
        ),
        ({"cupti_version": 18}, "the driver is newer than this torch's CUPTI, or the machine is WSL"),
        ({"cuda_driver_version": -1, "cupti_version": "x"}, "or the machine is WSL"),
    ],
)
def test_where_all_rows_are_lost_the_versions_tell_what_to_do(versions: dict[str, int], said: str) -> None:
    case, opening = said_of(all_rows_lost(versions=versions))
    assert case == "lost_kernels"
    assert said in opening.detail


def product_once(*, long_us: float, short_us: float = 9.6) -> TraceBuilder:
    """A window with one long product in float32 and eleven short ones, on a busy A100."""
    built = TraceBuilder()
    built.device_name = A100
    at = 10.0
    for number in range(12):
        end = at + (long_us if number == 3 else short_us)
        call = 1 + 20.0 * number
        built.op("aten::mm", call - 1, call + 7)
        built.launch(call, call + 5, runs=(at + 10, end + 10), name="ampere_sgemm_32x128_nt")
        built.op("aten::add", call + 8, call + 17)
        built.launch(call + 9, call + 14, runs=(end + 11, end + 1_200))
        at = end + 1_200
    built.synchronize("cudaDeviceSynchronize", 300, at + 10)
    return built


@pytest.mark.parametrize(("long_us", "severity"), [(2_440, "low"), (9.6, None)])
def test_one_kernel_that_is_long_once_is_no_alarm(long_us: float, severity: str | None) -> None:
    found = [one.severity for one in product_once(long_us=long_us).report().findings if one.rule == "PRC02"]
    assert found == ([] if severity is None else [severity])


def test_products_that_are_all_long_are_one() -> None:
    report = product_once(long_us=400, short_us=400).report()
    assert [one.severity for one in report.findings if one.rule == "PRC02"] == ["medium"]


@pytest.mark.parametrize(("pause_us", "rules"), [(240, ["LCH02"]), (22, [])])
def test_hardly_any_time_is_no_alarm_however_short_the_step_is(pause_us: float, rules: list[str]) -> None:
    """The host launches nothing for 0.3 ms of each step, of which the GPU is idle for so long."""
    built = TraceBuilder()
    for number in range(4):
        at = 400.0 * number
        built.step(number, at, at + 400)
        built.launch(at + 1, at + 2, runs=(at + 2, at + 301 - pause_us))
        built.annotation("augment", at + 3, at + 300)
        built.launch(at + 301, at + 302, runs=(at + 302, at + 401))
    assert [rule for rule in rules_of(built) if rule == "LCH02"] == rules


def test_a_free_before_the_first_launch_opens_the_context() -> None:
    built = iterations_after_a_start()
    built.call("cudaFree", 10, 29_000)
    assert said_of(built)[0] == "cold_start"


def test_the_last_synchronize_of_a_harness_holds_up_no_exchange() -> None:
    built = exchange_after_a_start()
    built.synchronize("cudaDeviceSynchronize", 5_530, 6_000)
    built.synchronize("cudaDeviceSynchronize", 6_001, 6_005)
    found = {one.rule: one.severity for one in built.report().findings}
    assert found["DST05"] == "info"


def test_all_kinds_of_operators_far_from_their_limits_get_a_word() -> None:
    built = TraceBuilder()
    built.device_name = A100
    dims = ([1024, 1024], [1024, 1024])
    for turn in range(8):
        at = 30_000.0 * turn
        for index, name in enumerate(("aten::mm", "aten::add", "aten::mul", "aten::relu")):
            typed_op(built, name, at + 20 * index, at + 20 * index + 15, dims=dims, types=("float", "float"))
            runs = (at + 100 + 7_000 * index, at + 7_050 + 7_000 * index)
            built.launch(at + 20 * index + 2, at + 20 * index + 8, runs=runs)
    facts = {fact.code: fact.numbers for fact in built.report().trace.health}
    assert facts["all_far_from_limits"]["operators"] >= 3
    assert float(facts["all_far_from_limits"]["best_share"]) < 0.1


@pytest.mark.parametrize(
    ("device", "pinned_us", "most_us", "said"),
    [
        (A100, 0, 27_013, "as fast as the device's link is, they would take 43.4 ms"),
        (A100, 100, 22_816, "as others of this window are, they would take 77.1 ms"),
        ("Some device", 0, None, "The host copies them itself, and launches nothing meanwhile."),
    ],
)
def test_pinning_what_the_host_stages_saves_what_it_takes_more(
    device: str, pinned_us: float, most_us: float | None, said: str
) -> None:
    built = staged_uploads(device=device, pinned_us=pinned_us)
    report = built.report()
    (found,) = [one for one in report.findings if one.rule == "CPY01"]
    sentence = found.figures.sentence(scope_of(marks_steps=True)).replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert said in sentence
    assert "not estimated" not in sentence
    if most_us is None:
        assert found.saving is None
        return
    assert found.saving is not None
    assert found.saving.ceiling_ns / 8_000 == pytest.approx(most_us, rel=0.002)
    assert said_of(built)[1].action.startswith("First: pin the batches")


@pytest.mark.parametrize(
    "file", ["C:\\train.py", "d:/runs/train.py", "torch\\nn\\modules\\module.py", "/mnt/c/train.py"]
)
def test_work_that_begins_only_while_the_host_waits_is_held_back(file: str) -> None:
    built = held_back_submissions()
    built.frame(f"{file}(12): main", 0, 13_200)
    case, said = said_of(built)
    assert case == "held_back"
    assert said.verdict == (
        "The GPU is idle 99 % of the window, 83 % although work is queued: it begins only while the host "
        "waits."
    )
    assert said.detail.startswith("9.9 ms of it in 19 waits, most of them in aten::_coalesce.")
    assert said.action == (
        "First: coalesce each sparse tensor once, and keep it (aten::_coalesce): up to 9.9 ms of 12.5 ms."
    )
    savings = built.report().savings
    assert savings is not None
    assert savings.ceiling_ns > 9_900_000


@pytest.mark.parametrize("file", ["", "/mnt/data/train.py", "/home/a/train.py"])
def test_without_a_sign_of_windows_it_is_no_cause_and_nothing_is_ordered(file: str) -> None:
    built = held_back_submissions()
    if file:
        built.frame(f"{file}(12): main", 0, 13_200)
    case, said = said_of(built)
    assert (case, said.verdict) == (
        "held_back",
        "The GPU is idle 99 % of the window, 83 % although work is queued.",
    )
    assert "The GPU may work for another process, or the driver holds launches back" in said.detail
    assert "coalesce" not in said.action


def test_work_that_is_late_at_any_time_may_wait_for_another_process() -> None:
    built = held_back_submissions()
    built.events = [event for event in built.events if event["name"] != "cudaStreamSynchronize"]
    built.synchronize("cudaStreamSynchronize", 13_140, 13_150)
    assert said_of(built)[0] == "queued"


def test_what_a_loader_does_before_the_window_is_none_of_it() -> None:
    case, said = said_of(loader_before_the_window())
    assert case == "host_bound"
    found = {one.rule: one for one in loader_before_the_window().report().findings}
    saving = found["DAT01"].saving
    assert saving is not None
    assert saving.ceiling_ns <= 20 * 430_000
    assert said.action.startswith("First: shorten what the host does between `aten::mm` and `aten::mm`")


@pytest.mark.parametrize(("op_us", "case"), [(18, "host_bound"), (4, "launch_bound")])
def test_many_small_operators_of_the_cpu_are_no_launching(op_us: float, case: str) -> None:
    """Views and empty tensors launch nothing either, and take a few us."""
    said = said_of(attention_on_the_cpu(op_us=op_us))
    assert said[0] == case
    order = "shorten the host's own work" if case == "host_bound" else "launch fewer kernels"
    assert said[1].action.startswith(f"First: {order}")


OTHER_WORK = (
    "The GPU is idle 18 % of a step, 15 % because the host is late to launch: "
    "it does other work between launches."
)
"""What is true of `training()`, whatever became of some of its rows."""


def test_a_few_lost_kernels_of_a_tiny_window_hide_nothing() -> None:
    case, said = said_of(tiny_window_with_few_lost())
    assert case == "host_bound"
    assert said.verdict.startswith(
        "The GPU is idle 97 % of the window, 96 % because the host is late to launch: it does other"
    )
    assert 'record_function("attention")' in said.action


@pytest.mark.parametrize("lost", [13, 40])
def test_rows_lost_at_the_start_leave_the_whole_steps(lost: int) -> None:
    case, said = said_of(without_rows(training(), lambda number: number < lost))
    assert (case, said.verdict) == ("host_bound", OTHER_WORK)


def test_rows_that_end_too_late_are_cut() -> None:
    built = training(vendor="hip")
    kernels(built)[30]["dur"], kernels(built)[31]["dur"] = 1_500, 1_400
    case, said = said_of(built)
    assert case == "host_bound"
    assert said.verdict == OTHER_WORK.replace("15 %", "14 %")


def test_one_row_of_seconds_is_no_work() -> None:
    built = without_rows(training(steps=6, vendor="hip"), lambda number: number >= 40)
    kernels(built)[-1]["dur"] = 1_700_000
    assert said_of(built)[1].verdict == OTHER_WORK


def test_rows_of_one_correlation_are_joined_by_their_order() -> None:
    assert said_of(shared_correlations())[1].verdict == OTHER_WORK


def test_communication_without_calls_is_joined_by_its_order() -> None:
    built = communication_without_calls()
    case, said = said_of(built)
    assert case == "launch_bound"
    assert said.verdict.startswith(
        "The GPU is idle 47 % of a step, 30 % because the host is late to launch: it launches kernels"
    )
    assert "communication that no computing covers" in said.detail
    assert "launches_without_gpu_rows" not in [fact.code for fact in built.report().trace.health]


def test_a_constant_shift_of_the_gpus_clock_is_taken_off() -> None:
    built = training(vendor="hip", start_us=5_000)
    for row in kernels(built):
        row["ts"] -= 4_000
    assert said_of(built)[1].verdict == OTHER_WORK.replace("18 % of a step, 15 %", "18 % of a step")


def test_a_tail_that_is_lost_is_said_with_what_to_wait_for() -> None:
    built = without_rows(training(steps=1, launches=60), lambda number: number >= 20)
    case, said = said_of(built)
    assert case == "lost_kernels"
    assert said.verdict == "The recording lacks the GPU's work of 40 of 60 launches: it can't be judged."
    assert "`torch.cuda.synchronize(device)`" in said.detail


def test_steps_that_are_one_are_judged_as_one() -> None:
    built = training(steps=5)
    built.events = [event for event in built.events if not event["name"].startswith("ProfilerStep")]
    built.step(0, 0, 11_000)
    case, said = said_of(built)
    assert (case, said.verdict) == ("host_bound", OTHER_WORK.replace("a step", "the step"))


def test_operators_that_did_not_end_change_nothing() -> None:
    built = training()
    built.op("aten::mm", 500, 499)
    assert said_of(built)[1].verdict == OTHER_WORK


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
    assert said_of(built)[1].verdict == OTHER_WORK


def test_rows_that_are_in_the_file_twice_count_once() -> None:
    built = training()
    built.events += [dict(row) for row in kernels(built)]
    assert said_of(built)[1].verdict == OTHER_WORK


def test_marks_that_are_in_the_file_twice_are_steps_once() -> None:
    built = training()
    built.events += [dict(one) for one in built.events if one["name"].startswith("ProfilerStep")]
    assert said_of(built)[1].verdict == OTHER_WORK


def test_rows_lost_in_the_middle_leave_the_most_whole_steps_in_a_row() -> None:
    built = without_rows(training(steps=8), lambda number: 60 <= number < 100)
    report = built.report()
    assert len(report.steps) == 3
    assert said_of(built)[1].verdict == OTHER_WORK


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
