"""TRC01: the window begins before the program is warm."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from cupti_scenes import cupti_works
from public_report import PublicReport
from rule_scenes import found
from trace_builder import TraceBuilder

from tbprof.texts.figures.places import scope_of
from tbprof.texts.finding_notes import finding_note

LOADING = "Lazy Function Loading"


def steps(first: float, others: float = 1000) -> TraceBuilder:
    built = TraceBuilder()
    built.step(1, 0, first)
    for number in range(3):
        start = first + number * others
        built.step(number + 2, start, start + others)
    built.launch(0, 1, runs=(2, 100))
    return built


def set_up_first(takes: float) -> TraceBuilder:
    """10 ms without marked steps that begin with a call of so many us; the GPU works from 6 ms on."""
    built = TraceBuilder()
    built.op("aten::empty", 0, takes + 1)
    built.call("cudaDeviceGetStreamPriorityRange", 0, takes)
    built.launch(5990, 5995, runs=(6000, 10_000))
    return built


def test_a_first_step_that_takes_three_times_as_long_is_cold() -> None:
    (finding,) = found(steps(3000), "TRC01")

    assert (finding.severity, finding.removal, finding.saving) == ("info", "needed", None)
    assert (finding.count, finding.steps) == (1, (0,))
    assert finding.numbers() == {
        "cold_steps": 1,
        "first_step_ns": 3_000_000,
        "median_step_ns": 1_000_000,
        "loading_ns": 0,
        "loading_idle_ns": 0,
    }


@pytest.mark.parametrize(("first", "count"), [(1500, 0), (1500.001, 1)])
def test_a_step_is_cold_from_half_as_long_again_on(first: float, count: int) -> None:
    assert len(found(steps(first), "TRC01")) == count


@pytest.mark.parametrize(("takes", "count"), [(39.999, 0), (40, 1)])
def test_loading_matters_from_1_percent_of_the_steps_on(takes: float, count: int) -> None:
    built = steps(1000)
    cupti_works(built, LOADING, 1200, 1200 + takes)
    findings = found(built, "TRC01")
    assert len(findings) == count
    for finding in findings:
        assert (finding.numbers()["cold_steps"], finding.numbers()["loading_ns"]) == (0, 40_000)
        assert (finding.steps, finding.evidence[0].duration_ns) == ((1,), 40_000)


def test_loading_before_the_steps_is_silent() -> None:
    built = steps(1000)
    cupti_works(built, LOADING, -500, -100)
    assert found(built, "TRC01") == []


@pytest.mark.parametrize(
    ("takes", "severities"), [(1999, []), (2000, ["info"]), (4999, ["info"]), (5000, ["high"])]
)
def test_a_fifth_of_a_recording_without_steps_may_be_over_before_the_first_kernel(
    takes: float, severities: list[str]
) -> None:
    findings = found(set_up_first(takes), "TRC01")
    assert [finding.severity for finding in findings] == severities
    for finding in findings:
        assert (finding.numbers()["before_ns"], finding.numbers()["recording_ns"]) == (
            takes * 1000,
            10_000_000,
        )
        note = finding_note(finding, scope_of(marks_steps=False))
        assert note.startswith("A first call, cudaDeviceGetStreamPriorityRange in aten::empty, took ")
        assert note.endswith(" That is before the GPU's first work.")


def test_first_calls_before_the_window_stand_beside_those_in_it() -> None:
    built = set_up_first(5000)
    cupti_works(built, LOADING, 6000, 7000)
    (finding,) = found(built, "TRC01")
    assert (finding.numbers()["loading_calls"], finding.numbers()["loading_ns"]) == (2, 6_000_000)
    assert finding_note(finding, scope_of(marks_steps=False)).endswith(
        " 5.0\u202fms of that is before the GPU's first work."
    )


def test_other_work_of_cupti_is_no_loading() -> None:
    built = steps(1000)
    cupti_works(built, "Buffer Flush", 1200, 1500)
    assert found(built, "TRC01") == []


def test_a_short_window_without_warm_up_is_cold(traces: pathlib.Path, public_report: PublicReport) -> None:
    report = public_report(traces / "h100_transformer_clean" / "dc3b_3169006.pt.trace.json.gz")
    (finding,) = [finding for finding in report.findings if finding.rule == "TRC01"]
    assert finding.steps == (0,)


CASES = (
    CheckCases(
        "TRC01",
        boundary="half as long again as the others",
        positive=lambda: steps(5000),
        negative=lambda: steps(1000),
        least=lambda: steps(1500.001),
        below=lambda: steps(1500),
    ),
)
