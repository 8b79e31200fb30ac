"""What is said first where a program is odd: its case with its figures, and the first action."""

from __future__ import annotations

import pytest
from first_said import rules_of, said_of
from odd_recordings import (
    A100,
    LOADER,
    all_rows_lost,
    attention_on_the_cpu,
    exchange_after_a_start,
    held_back_submissions,
    iterations_after_a_start,
    launching_thread_without_operators,
    loader_before_the_window,
    on_mps,
    on_the_cpu,
    staged_uploads,
    training,
)
from shape_scenes import typed_op
from trace_builder import TraceBuilder

from tbprof.analysis.figures.idle_places import find_launch_idle
from tbprof.analysis.intervals import total_ns
from tbprof.judge.words import verdict_figures
from tbprof.texts.figures.places import scope_of


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


@pytest.mark.parametrize(("steps", "case"), [(4, "host_bound"), (1, "host_unrecorded")])
def test_ranges_around_most_pauses_say_what_the_thread_does_as_operators_do(steps: int, case: str) -> None:
    built = launching_thread_without_operators()
    for number in range(steps):
        built.annotation("evaluate", 2_200 * number + 2_000, 2_200 * number + 2_215)
    assert said_of(built)[0] == case


def moving_a_model(
    tensors: int, *, steps: bool = False, takes: float = 1_000, begin: float = 0, sent: int = 0
) -> TraceBuilder:
    """From `begin` on so many uploads of pageable memory, as many broadcasts as are `sent`, and ten products.

    Each upload, broadcast and product takes 1 ms; 5 us of other work come first where it does not begin at 0.
    """
    built = TraceBuilder()
    built.device_name = A100
    if begin:
        built.launch(1, 4, runs=(5, 10), name="ncclDevKernel_AllReduce_Sum_f32_RING_LL")
    for tensor in range(tensors):
        at = begin + takes * tensor
        built.op("aten::to", at, at + takes - 10)
        built.copy(
            "HtoD", "pageable", at + 1, at + takes - 90, runs=(at + 5, at + takes - 90), size_bytes=1 << 23
        )
        built.synchronize("cudaStreamSynchronize", at + takes - 89, at + takes - 50)
    for number in range(sent):
        at = begin + takes * (tensors + number)
        built.op("c10d::broadcast_", at, at + 20)
        built.launch(
            *(at + 1, at + 10), runs=(at + 20, at + 990), name="ncclDevKernel_Broadcast_RING_LL", stream=16
        )
    begin += takes * (tensors + sent)
    if steps:
        built.step(0, 0, begin + 10_000)
    for number in range(10):
        at = begin + 1_000 * number
        built.op("aten::mm", at, at + 20)
        built.launch(at + 1, at + 10, runs=(at + 20, at + 1_000), name="ampere_sgemm_128x64_tn")
    return built


def test_a_model_that_is_moved_in_the_window_is_moved_once() -> None:
    case, said = said_of(moving_a_model(32))
    assert case == "model_moved"
    assert said.verdict == "A model is moved to the GPU in 31.9 ms of the 42.0 ms: 268.4 MB in 32 uploads."
    assert said.action == (
        "First: begin the recording once the model is on the GPU: until then 31.9 ms of 42.0 ms pass, once."
    )
    assert said.detail.startswith("In the 10.1 ms after that the GPU is busy 98 %.")
    assert "CPY01" not in rules_of(moving_a_model(32))


def test_a_start_that_sets_up_ranks_moves_the_model_and_sends_it_is_told_as_one() -> None:
    built = moving_a_model(32, begin=50_000, sent=90)
    case, said = said_of(built)
    assert case == "model_moved"
    assert said.verdict == (
        "The program starts in the first 172.0 ms of the 182.0 ms, and moves a model to the GPU: "
        "268.4 MB in 32 uploads."
    )
    assert said.detail.startswith(
        "In the 10.0 ms after that the GPU is busy 98 %. Its largest kernels: `ampere_sgemm"
    )
    assert not {"LCH02", "CPY01", "SYN10", "DST01", "DST04", "DST05"}.intersection(rules_of(built))


def test_a_batch_of_few_tensors_is_no_model_nor_is_one_of_a_marked_step() -> None:
    for built in (moving_a_model(31), moving_a_model(32, steps=True)):
        assert said_of(built)[0] == "copying"
        assert "CPY01" in rules_of(built)


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
def test_without_a_sign_of_windows_it_is_no_cause_and_no_saving_is_promised(file: str) -> None:
    built = held_back_submissions()
    if file:
        built.frame(f"{file}(12): main", 0, 13_200)
    case, said = said_of(built)
    assert (case, said.verdict) == (
        "held_back",
        "The GPU is idle 99 % of the window, 83 % although work is queued.",
    )
    assert "The GPU may work for another process, or the driver holds launches back" in said.detail
    assert said.action == (
        "First: coalesce each sparse tensor once, and keep it (aten::_coalesce): 9.9 ms of 12.5 ms pass in "
        "its waits."
    )


def test_without_a_sign_of_windows_waits_of_what_is_needed_are_not_to_be_fewer() -> None:
    built = held_back_submissions()
    for event in built.events:
        if event["name"] == "aten::_coalesce":
            event["name"] = "aten::unique_dim"
    assert not said_of(built)[1].action.startswith("First: wait")


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


@pytest.mark.parametrize(("parts", "case"), [(4, "host_bound"), (1, "launch_bound")])
def test_one_stretch_of_other_work_comes_before_short_pauses_that_win_less(parts: int, case: str) -> None:
    """A part of a model on the CPU takes 0.8 ms, and there is more time around kernels of 2 us."""
    built, at = TraceBuilder(), 20.0
    built.launch(0, 8, runs=(12, 14))
    for part in range(parts):
        turns = 68 // parts
        built.annotation(f"part {'abcd'[part]}", at, at + 20 * turns)
        for _ in range(turns):
            built.op("aten::add", at, at + 19)
            built.launch(at + 5, at + 13, runs=(at + 16, at + 18))
            at += 20
    for _ in range(32):
        built.op("aten::matmul", at, at + 24)
        at += 25
    built.op("aten::add", at, at + 19)
    built.launch(at + 5, at + 13, runs=(at + 16, at + 18))
    idle = find_launch_idle(built.facts())
    assert total_ns(idle.short().idle) > 1.2 * total_ns(idle.long().idle)
    assert said_of(built)[0] == case


@pytest.mark.parametrize(("passes", "case"), [(1, "outside_window"), (4, "launch_bound")])
def test_equal_layers_of_one_pass_are_no_turns_of_a_loop(passes: int, case: str) -> None:
    """A program that reads data for 100 ms, and then computes for 1 ms a pass."""
    built, at = TraceBuilder(), 100_000.0
    built.op("aten::randperm", 0, 500)
    for _ in range(passes):
        names = ("stem", "embed", *("mm", "gelu", "norm") * 12, "head", "argmax", "pool", "gather")
        for name in names:
            built.op(f"aten::{name}", at, at + 20)
            built.launch(at + 5, at + 12, runs=(at + 14, at + 18), name=name)
            at += 22
    found = said_of(built)
    assert found[0] == case
    assert (" of a recording of " in found[1].verdict) == (passes == 1)
