"""LCH02: the host does other things while the GPU has nothing to do."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest
from check_cases import CheckCases
from hook_scenes import found_with, the_audit
from launch_scenes import hand_written_loss, pausing
from public_report import PublicReport
from rule_scenes import found
from trace_builder import TraceBuilder

from tbprof.model import IN_LOADER, SampledLine, Scope, Source
from tbprof.rules.launch.words import HostPauses
from tbprof.texts.rule_pages import fix_words


def test_code_that_launches_nothing_is_named() -> None:
    (finding,) = found(pausing(3_000), "LCH02")

    assert (finding.severity, finding.removal, finding.confidence) == ("critical", "rewrite", "medium")
    assert (finding.count, finding.steps) == (3, (0, 1, 2))
    assert finding.numbers() == {
        "place": "augment",
        "idle_per_step_ns": 3_000_000,
        "all_places_per_step_ns": 3_000_000,
        "largest": "",
        "largest_share": 0.0,
        "launches": 0,
        "before": "",
        "after": "",
        "between": 0.0,
        "most_often": "",
        "function": "",
    }
    assert finding.saving is not None
    assert (finding.saving.floor_ns, finding.saving.ceiling_ns) == (0, 3 * 3_000_000)


def unlabeled(pause_us: float) -> TraceBuilder:
    """Three steps with a pause in which nothing is recorded."""
    built = TraceBuilder()
    for number in range(3):
        start = 10_000.0 * number
        built.step(number, start, start + 10_000)
        built.launch(start, start + 1, runs=(start + 1, start + 2))
        built.launch(start + 1 + pause_us, start + 2 + pause_us, runs=(start + 2 + pause_us, start + 9_999))
    return built


def sampled_line(function: str, time_ms: int, **other: Any) -> SampledLine:
    known = {"file": "rle.py", "line": 88, "caller": None, "within": "", "count": 30, **other}
    return SampledLine(function=function, time_ns=time_ms * 1_000_000, **known)


def test_where_torch_ran_no_operator_the_line_with_most_samples_is_named() -> None:
    audit = the_audit(samples=(sampled_line("encode", 61), sampled_line("log", 39)))
    (finding,) = found_with(audit, unlabeled(3_000), "LCH02")
    numbers = finding.numbers()
    assert (numbers["place"], numbers["sampled_share"], numbers["samples"]) == ("rle.py:88 encode", 0.61, 60)
    assert numbers["idle_per_step_ns"] == 3_001_333
    said = finding.figures.sentence(Scope("a step", "a step"))
    assert said.replace("\u202f", " ") == (
        "3.0 ms a step in code that calls no operator of torch's: 61 % of 60 samples lie in rle.py:88 encode."
    )


def test_a_library_s_line_is_named_with_the_program_s_own_that_runs_it() -> None:
    own = Source("train.py", 12, "augment", exact=True, candidates=())
    lines = (sampled_line("sort", 50, file="numpy/fromnumeric.py", caller=own), sampled_line("other", 20))
    (finding,) = found_with(the_audit(samples=lines), unlabeled(3_000), "LCH02")
    assert finding.numbers()["place"] == "train.py:12 augment > sort"


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param((sampled_line("encode", 61, count=19),), id="too few"),
        pytest.param((sampled_line("fetch", 61, within=IN_LOADER),), id="a loader's"),
        pytest.param(tuple(sampled_line(f"part{number}", 10) for number in range(4)), id="spread"),
    ],
)
def test_samples_that_say_nothing_of_it_name_no_place(lines: tuple[SampledLine, ...]) -> None:
    (finding,) = found_with(the_audit(samples=lines), unlabeled(3_000), "LCH02")
    assert finding.numbers()["place"] == ""


def test_the_operator_that_holds_most_of_a_pause_is_what_to_change() -> None:
    """A tensor is made on the host for 2 of the 3 ms, and only then work is launched."""
    built = TraceBuilder()
    built.step(0, 0, 10_000)
    built.launch(100, 5, runs=(110, 300))
    built.op("aten::randn", 500, 2_000)
    built.launch(3_600, 5, runs=(3_610, 9_000))
    (finding,) = found(built, "LCH02")
    figures = finding.figures
    assert isinstance(figures, HostPauses)
    assert figures.largest == "aten::randn" or figures.place == "aten::randn"
    assert "torch.randn(..., device='cuda')" in fix_words(finding).action
    assert "`randn` on the CPU" in figures.order


def pausing_in(function: str, end: float) -> TraceBuilder:
    """A label that holds the whole step, and a pause of 3 ms in it, of which a function holds a part."""
    built = TraceBuilder()
    built.step(0, 0, 10_000)
    built.annotation("serve", 0, 10_000)
    built.frame("diffusers/pipeline.py(11): __call__", 1, 9_999)
    built.frame(function, 110, end)
    built.op("aten::to", 100, 106)
    built.launch(101, 105, runs=(106, 107))
    built.op("aten::to", 3_100, 3_107)
    built.launch(3_101, 3_106, runs=(3_107, 9_999))
    return built


def test_within_a_label_the_deepest_function_is_what_to_change() -> None:
    """Not the one that runs for all of the step."""
    (finding,) = found(pausing_in("diffusers/pipeline.py(80): hook", 2_000), "LCH02")
    figures = finding.figures
    assert isinstance(figures, HostPauses)
    assert (figures.place, figures.function) == ("serve", "pipeline.py:80 hook")
    assert figures.order == (
        "Shorten the host's own work here, above all pipeline.py:80 hook, or move it out of the step"
    )
    assert figures.sentence(Scope("a step", "a step")).endswith("63\u202f% of it in pipeline.py:80 hook.")


def test_without_a_function_the_operators_around_a_pause_say_where_it_is() -> None:
    """Of the same name: with what was before the one, and comes after the other."""
    built = pausing_in("diffusers/pipeline.py(80): hook", 120)
    built.op("aten::nonzero", 50, 60)
    built.op("aten::slice", 3_200, 3_201)
    for at in range(60):
        built.op("aten::select", 1_000 + at, 1_000.5 + at)
    (finding,) = found(built, "LCH02")
    figures = finding.figures
    assert isinstance(figures, HostPauses)
    assert figures.order == (
        "Shorten what the host does between `aten::nonzero \u203a aten::to` and `aten::to \u203a aten::slice`"
    )
    assert "; 60 operators that launch nothing run in it a step, `aten::select` most often." in (
        figures.sentence(Scope("a step", "a step"))
    )


def test_the_place_with_most_of_it_is_named_and_the_rest_is_counted() -> None:
    built = pausing(3_000)
    for number in range(3, 5):
        start = 10_000.0 * number
        built.step(number, start, start + 10_000)
        built.launch(start, start + 1, runs=(start + 1, start + 2))
        built.annotation("log", start + 2, start + 1_999)
        built.launch(start + 2_002, start + 2_003, runs=(start + 2_003, start + 10_001))
    (finding,) = found(built, "LCH02")
    assert finding.numbers()["place"] == "augment"
    assert finding.numbers()["idle_per_step_ns"] == 9_000_000 // 5
    assert finding.numbers()["all_places_per_step_ns"] == (9_000_000 + 2 * 2_001_000) // 5


def test_a_cold_step_is_no_measure_of_the_others() -> None:
    """One step whose pause is three times as long as those of two others."""
    built = TraceBuilder()
    start = 0.0
    for number, pause in enumerate((9_000.0, 3_000.0, 3_000.0, 3_000.0)):
        end = start + pause + 7_000
        built.step(number, start, end)
        built.launch(start, start + 1, runs=(start + 1, start + 2))
        built.annotation("augment", start + 1, start + 1 + pause)
        built.launch(start + 1 + pause, start + 2 + pause, runs=(start + 2 + pause, end + 1))
        start = end
    assert built.facts().steps.cold == (True, False, False, False)
    (finding,) = found(built, "LCH02")
    assert finding.numbers()["idle_per_step_ns"] == 3_000_000
    assert finding.saving is not None
    assert finding.saving.ceiling_ns == (9 + 3 * 3) * 1_000_000, "what all steps win, the cold one too"


@pytest.mark.parametrize(("pause", "count"), [(199.999, 0), (200, 1)])
def test_a_pause_begins_at_200_us_without_a_launch(pause: float, count: int) -> None:
    assert len(found(pausing(pause), "LCH02")) == count


@pytest.mark.parametrize(("recorded", "count"), [(False, 0), (True, 1)])
def test_the_windows_end_is_a_pause_where_the_program_is_in_it(recorded: bool, count: int) -> None:
    built = TraceBuilder()
    built.step(1, 0, 10_000)
    built.launch(10, 12, runs=(15, 5_000))
    if recorded:
        built.op("aten::sort", 5_000, 9_900)
    assert len(found(built, "LCH02")) == count


def test_a_host_that_launches_all_the_time_is_silent() -> None:
    assert found(hand_written_loss(), "LCH02") == []


def test_less_than_1_percent_of_the_steps_is_silent() -> None:
    built = pausing(200)
    built.step(9, 40_000, 100_000)
    built.launch(39_990, 39_991, runs=(39_991, 100_000))
    assert found(built, "LCH02") == []


def test_without_a_name_it_is_less_sure() -> None:
    (finding,) = found(pausing(3_000, code=""), "LCH02")
    assert (finding.numbers()["place"], finding.confidence) == ("", "low")


def test_a_loader_is_not_the_host_being_late() -> None:
    built = pausing(3_000, code="enumerate(DataLoader)#_Iter.__next__")
    assert found(built, "LCH02") == []


def test_where_the_replicas_prepare_their_forward_pass_the_host_is_late(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    report = public_report(traces / "hta_nccl_ddp" / "nccl_data.json.gz")
    (finding,) = [finding for finding in report.findings if finding.rule == "LCH02"]
    assert (finding.numbers()["place"], finding.severity) == ("DistributedDataParallel.forward", "medium")


@pytest.mark.parametrize(("captured", "severity"), [(5, "critical"), (6, "info")])
def test_while_most_launches_record_a_graph_nothing_is_to_be_changed(captured: int, severity: str) -> None:
    built = pausing(3_000)
    built.call("cudaStreamBeginCapture", 10_000, 10_001)
    for at in range(10_010, 10_010 + 10 * captured, 10):
        built.call("cudaLaunchKernel", at, at + 5)
    built.call("cudaStreamEndCapture", 10_100, 10_101)
    (finding,) = found(built, "LCH02")
    assert finding.severity == severity


CASES = (
    CheckCases(
        "LCH02",
        boundary="200 us without a launch",
        positive=lambda: pausing(3_000),
        negative=lambda: hand_written_loss(),
        least=lambda: pausing(200),
        below=lambda: pausing(199.999),
    ),
)


def test_what_came_before_the_first_step_is_no_pause_of_it() -> None:
    """The recording begins long before: what was launched there may not be in it."""
    built = TraceBuilder()
    built.annotation("setup", -12_000, -11_900)
    for number in range(2):
        at = 2_000.0 * number
        built.step(number, at, at + 2_000)
        for index in range(19):
            call = at + 100 + 100 * index
            built.op("aten::mm", call - 5, call + 20)
            built.launch(call, call + 8, runs=(call + 12, call + 110))
    assert not found(built, "LCH02")
