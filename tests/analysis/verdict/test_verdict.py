"""The one thing to say of a window."""

from __future__ import annotations

import pathlib

import pytest
from launch_scenes import hand_written_loss
from public_report import PublicReport
from scenes import SIDE, gpu_bound, host_bound, read_scalar
from stored_verdicts import stored_verdict
from trace_builder import TraceBuilder

from tbprof.model import Verdict
from tbprof.report import build_report

LOADER = "enumerate(DataLoader)#_Iter.__next__"


def verdict_of(built: TraceBuilder) -> Verdict:
    verdict = built.report().verdict
    assert verdict is not None
    return verdict


def test_waits_that_can_go_come_first_where_they_win_most() -> None:
    verdict = verdict_of(host_bound(steps=4))
    assert verdict.case == "waits"
    assert {name: verdict.numbers()[name] for name in ("steps", "marked", "steps_us", "points")} == {
        "steps": 4,
        "marked": 1,
        "steps_us": 4000.0,
        "points": 4,
    }
    shares = ("idle_share", "computing_share", "communication_share", "copying_share")
    assert sum(float(verdict.numbers()[name]) for name in shares) == pytest.approx(1)
    assert 0 < float(verdict.numbers()["floor_us"]) <= float(verdict.numbers()["estimate_us"])


def test_a_device_that_hardly_ever_stops_is_busy_whatever_the_host_waits() -> None:
    verdict = verdict_of(gpu_bound())
    assert verdict.case == "busy"
    assert float(verdict.numbers()["wait_us"]) > 1000


def test_a_busy_window_without_waits_says_so() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.launch(0, 1, runs=(2, 100))
    verdict = verdict_of(built)
    assert (verdict.case, verdict.numbers()["points"], verdict.numbers()["gain_us"]) == ("busy", 0, 0.0)


def loading(exposed: float, *, busy: float = 0) -> TraceBuilder:
    """A step of 1000 us in which the device waits `exposed` for the loader, after a read of `busy`."""
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 1, runs=(1, 100))
    if busy:
        read_scalar(built, 100 - busy, wait=busy)
    built.annotation(LOADER, 104, 104 + exposed)
    built.launch(104 + exposed, 105 + exposed, runs=(105 + exposed, 1000))
    return built


@pytest.mark.parametrize(("exposed", "case"), [(90, "busy"), (100, "input")])
def test_from_a_tenth_of_idle_on_its_largest_cause_comes_first(exposed: float, case: str) -> None:
    assert verdict_of(loading(exposed)).case == case


def test_the_idle_of_the_cause_is_one_of_the_numbers() -> None:
    verdict = verdict_of(loading(400, busy=50))
    assert (verdict.case, verdict.numbers()["cause"], verdict.numbers()["cause_us"]) == (
        "input",
        "data",
        400.0,
    )


def test_idle_that_begins_in_a_wait_is_won_back_by_removing_it() -> None:
    """The loader takes 700, and the read before it lets the device run dry; 300 ahead, less would show."""
    built = TraceBuilder()
    for number in range(4):
        start = 1000 * number
        built.step(number, start, start + 1000)
        built.launch(start, start + 1, runs=(start + 2, start + 280))
        read_scalar(built, start + 10, wait=272)
        built.annotation(LOADER, start + 290, start + 990)
    verdict = verdict_of(built)
    assert (verdict.case, verdict.numbers()["cause"]) == ("drained", "data")
    assert 0.3 < float(verdict.numbers()["gain_us"]) / float(verdict.numbers()["cause_us"]) < 0.75


def late(*pauses: float) -> TraceBuilder:
    """A step of 10 ms with a kernel of 100 us after each of these pauses of the host."""
    built = TraceBuilder()
    built.step(1, 0, 10_000)
    at = 0.0
    for pause in (0, *pauses):
        at += pause
        built.launch(at, at + 5, runs=(at + 10, at + 110))
        at += 110
    built.launch(at, at + 5, runs=(at + 6, 10_000))
    return built


def test_a_late_host_was_launching_or_did_other_things() -> None:
    assert verdict_of(late(*[50.0] * 20)).case == "launch_bound"
    assert verdict_of(late(1000.0)).case == "host_bound"


def test_the_idle_of_a_place_is_what_its_finding_says_and_not_what_a_fix_can_win() -> None:
    report = hand_written_loss().report()
    finding = next(finding for finding in report.findings if finding.rule == "LCH01")
    idle_ns = int(finding.numbers()["idle_per_step_ns"]) * len(report.steps)
    assert report.verdict is not None
    assert report.verdict.numbers()["place_us"] == idle_ns / 1000
    assert finding.saving is not None
    assert finding.saving.ceiling_ns > idle_ns


@pytest.mark.parametrize(("idle", "case"), [(99, "busy"), (100, "queued")])
def test_idle_with_work_queued_is_a_cause_like_others(idle: float, case: str) -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 0, runs=(idle, 1000))
    assert verdict_of(built).case == case


@pytest.mark.parametrize(("waits_from", "place"), [(450, "exchange"), (451, None)])
def test_where_the_host_waits_through_most_of_it_is_named(waits_from: float, place: str | None) -> None:
    """The device is idle for 900, its work queued."""
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 0, runs=(900, 1000))
    built.annotation("exchange", 0, 950)
    built.synchronize("cudaStreamSynchronize", waits_from, 940)
    assert verdict_of(built).numbers().get("place") == place


def test_a_busy_device_whose_waits_can_not_simply_go_is_said_to_be_busy() -> None:
    """Without them the host would be ahead of the short kernels behind each, for 5 % of the steps or more."""
    built = TraceBuilder()
    for number in range(4):
        start = 1000 * number
        built.step(number, start, start + 1000)
        built.launch(start, start + 5, runs=(start + 10, start + 905))
        read_scalar(built, start + 20, wait=887, ops=("aten::nonzero",))
        for at in range(start + 915, start + 1000, 10):
            built.launch(at, at + 1, runs=(at + 1, at + 3))
    verdict = verdict_of(built)
    assert (verdict.case, float(verdict.numbers()["gain_us"]) > 4 * 50) == ("busy", True)


def test_behind_a_host_that_runs_ahead_work_is_always_queued_and_that_is_no_verdict() -> None:
    built = TraceBuilder()
    for number in range(4):
        built.step(number, 100 * number, 100 * number + 100)
        for part in range(2):
            begin = 1000 * number + 500 * part + 40
            built.launch(100 * number + 10 * part, 100 * number + 10 * part + 5, runs=(begin, begin + 460))
    assert verdict_of(built).case == "busy"


def test_but_long_gaps_between_queued_kernels_are_no_busy_device() -> None:
    built = TraceBuilder()
    for number in range(4):
        built.step(number, 100 * number, 100 * number + 100)
        begin = 1000 * number + 640
        built.launch(100 * number, 100 * number + 5, runs=(begin, begin + 360))
    assert verdict_of(built).case == "queued"


def test_communication_that_nothing_covers_comes_before_the_idle_it_exceeds() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 1, runs=(2, 400))
    built.launch(5, 6, runs=(400, 900), name="ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", stream=20)
    verdict = verdict_of(built)
    assert (verdict.case, verdict.numbers()["communication_share"]) == ("communication", 0.5)


def test_first_calls_with_a_fifth_of_the_idle_spoil_a_window() -> None:
    built = TraceBuilder()
    built.launch(0, 5, runs=(10, 100))
    built.op("aten::addmm", 150, 20_200)
    built.call("cudaFree", 160, 20_160)
    built.launch(20_170, 20_175, runs=(20_200, 40_000))
    verdict = verdict_of(built)
    assert verdict.case == "cold_start"
    assert (verdict.numbers()["longest_call"], verdict.numbers()["longest_op"]) == ("cudaFree", "aten::addmm")


@pytest.mark.parametrize(("takes", "case"), [(5000, "cold_start"), (4999, "outside_window")])
def test_so_do_those_that_take_half_of_the_recording_before_the_first_kernel(takes: float, case: str) -> None:
    built = TraceBuilder()
    built.call("cudaDeviceGetStreamPriorityRange", 0, takes)
    built.launch(5990, 5995, runs=(6000, 10_000))
    verdict = verdict_of(built)
    assert verdict.case == case
    if case == "cold_start":
        named = ("before_us", "recording_us", "cause_us", "calls")
        assert [verdict.numbers()[name] for name in named] == [5000.0, 10_000.0, 0.0, 1]


@pytest.mark.parametrize(
    ("file", "case"),
    [
        ("kineto_resnet50_nw0/worker0.1623143089861.pt.trace.json.gz", "input"),
        ("kineto_resnet50_nw4/worker0.1623213129365.pt.trace.json.gz", "host_bound"),
        ("h100_transformer_clean/dc3b_3169006.pt.trace.json.gz", "launch_bound"),
        ("hta_trace_diff/control.json.gz", "waits"),
        ("hta_trace_diff/test.json.gz", "busy"),
        ("h100_owlv2_infer/h100_owlv2.json.gz", "drained"),
        ("hta_mtia/mtia_rank_0.json.gz", "other_device"),
        ("hta_degenerate/cupti_ranges.json.gz", "lost_kernels"),
        ("malformed/truncated.pt.trace.json.gz", "cut_off"),
    ],
)
def test_public_traces_are_bound_by_what_is_known_of_them(
    traces: pathlib.Path, file: str, case: str, public_report: PublicReport
) -> None:
    verdict = public_report(traces / file).verdict
    assert verdict is not None
    assert verdict.case == case


def test_a_window_without_device_rows_is_not_judged() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.synchronize("cudaStreamSynchronize", 10, 20)
    built.call("cudaEventRecord", 30, 31)
    assert verdict_of(built) == stored_verdict("no_device", {})


def test_a_window_of_allocations_alone_is_told_as_such() -> None:
    built = TraceBuilder()
    for at in range(4):
        built.memory(at * 1_000.0, 1 << 20, device=1)
    built.memory(500.0, 1 << 10, device=None)
    assert verdict_of(built) == stored_verdict("only_allocations", {"events": 5, "devices": "GPU 1, CPU"})
    built.op("aten::empty", 100, 200)
    assert verdict_of(built).case == "no_device"


def test_launches_without_any_device_row_are_lost_kernels() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    for at in (10, 20):
        built.call("cudaLaunchKernel", at, at + 5)
    assert verdict_of(built) == stored_verdict("lost_kernels", {"launches": 2, "without": 2})


def test_a_twentieth_of_the_launches_without_work_spoils_all_figures() -> None:
    for lost, case in ((1, "lost_kernels"), (0, "busy")):
        built = TraceBuilder()
        built.step(1, 0, 1000)
        for at in range(0, 950, 50):
            built.launch(at, at + 1, runs=(at + 2, at + 52))
        for _ in range(lost):
            built.call("cudaLaunchKernel", 960, 965)
        assert verdict_of(built).case == case


@pytest.mark.parametrize(("copied_until", "case"), [(600, "copying"), (300, "busy")])
def test_a_device_that_mostly_copies_is_not_called_busy(copied_until: int, case: str) -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.copy("HtoD", "pinned", 0, 1, runs=(2, copied_until))
    built.launch(3, 4, runs=(copied_until, 1000))
    assert verdict_of(built).case == case


def test_of_a_device_whose_work_was_lost_nothing_is_said() -> None:
    built = host_bound(steps=4)
    known = built.report()
    for step in known.steps:
        at = step.start_ns / 1000 + 50
        built.call("cudaLaunchKernel", at, at + 5, thread=SIDE)
    lost = built.report()
    assert known.idle is not None
    assert (lost.idle, lost.savings, lost.fix_plan) == (None, None, ())
    assert {step.device_idle_ns for step in lost.steps} == {None}
    assert {finding.saving for finding in lost.findings} == {None}
    # What the host did is recorded all the same.
    assert (lost.sync_points, len(lost.sites)) == (known.sync_points, len(known.sites))


@pytest.mark.parametrize("part", [0.75, 0.9, 0.99])
def test_of_a_device_whose_work_is_cut_off_nothing_is_said(tmp_path: pathlib.Path, part: float) -> None:
    whole = host_bound(steps=40).write(tmp_path / "whole.pt.trace.json")
    text = whole.read_bytes()
    cut = tmp_path / "cut.pt.trace.json"
    cut.write_bytes(text[: int(len(text) * part)])
    known, report = build_report(whole), build_report(cut)
    assert known.verdict is not None
    assert known.verdict.case == "waits"
    assert report.verdict is not None
    assert report.verdict.case == "cut_off"
    assert report.verdict.numbers()["gpu_rows"]
    assert (report.idle, report.savings, report.fix_plan) == (None, None, ())
    assert {step.device_idle_ns for step in report.steps} == {None}


def test_a_list_of_events_without_an_end_is_judged_if_the_last_event_is_there(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    unclosed, closed = (
        public_report(traces / "malformed" / f"array_{form}.pt.trace.json") for form in ("unclosed", "form")
    )
    assert closed.verdict is not None
    assert unclosed.verdict == closed.verdict
    assert unclosed.idle == closed.idle
    assert not unclosed.trace.is_damaged


def test_launches_that_record_a_graph_run_nothing_and_are_not_lost() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 1, runs=(2, 10))
    built.call("cudaStreamBeginCapture", 20, 25)
    for at in range(30, 100, 10):
        built.call("cudaLaunchKernel", at, at + 5)
    built.call("cudaStreamEndCapture", 110, 115)
    assert verdict_of(built) == stored_verdict("capture", {"launches": 8, "without": 7})


@pytest.mark.parametrize(("capture_us", "case"), [(5000, "capture"), (4000, "host_bound")])
def test_a_capture_that_takes_half_of_the_time_is_one_though_its_graph_then_runs(
    capture_us: int, case: str
) -> None:
    built = TraceBuilder()
    for at in range(0, 1000, 100):
        built.launch(at, at + 5, runs=(at + 10, at + 90))
    built.call("hipStreamBeginCapture", 1000, 1005)
    for at in range(1010, 1060, 10):
        built.call("cudaLaunchKernel", at, at + 5)
    built.call("hipStreamEndCapture", 995 + capture_us, 1000 + capture_us)
    built.launch(9000, 9005, runs=(9010, 9990))
    built.call("cudaStreamIsCapturing", 9990, 10_000)
    assert verdict_of(built).case == case


def stalled(*, steps: int, late: int) -> TraceBuilder:
    """Steps of 1 ms in which the device works all the time, but for 5 ms in the last of them."""
    built = TraceBuilder()
    at = 0
    for number in range(steps):
        pause = 5000 if number >= steps - late else 0
        built.step(number, at, at + 1000 + pause)
        built.launch(at + pause, at + pause + 1, runs=(at + pause + 2, at + pause + 1000))
        at += 1000 + pause
    return built


def test_one_idle_step_of_ten_is_no_mean_of_ten() -> None:
    verdict = verdict_of(stalled(steps=10, late=1))
    assert (verdict.case, verdict.numbers()["uneven_steps"], verdict.numbers()["steps"]) == ("uneven", 1, 10)
    assert verdict_of(stalled(steps=10, late=6)).case == "host_bound"


def test_a_saving_that_no_finding_names_is_no_verdict() -> None:
    """A harness waits for the round before the steps; the replay wins that, and nobody can."""
    built = TraceBuilder()
    built.launch(-100, -95, runs=(-90, 300))
    built.step(1, 0, 1000)
    built.synchronize("cudaDeviceSynchronize", 10, 305)
    built.launch(350, 355, runs=(360, 1000))
    assert verdict_of(built).case not in ("waits", "drained")


def test_no_gain_is_above_the_ceiling_of_its_waits() -> None:
    numbers = verdict_of(host_bound(steps=4)).numbers()
    assert float(numbers["gain_us"]) <= float(numbers["ceiling_us"])
