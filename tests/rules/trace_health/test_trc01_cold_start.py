"""TRC01: the window begins before the program is warm."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from cupti_scenes import cupti_works
from public_report import PublicReport
from rule_scenes import found
from trace_builder import TraceBuilder

LOADING = "Lazy Function Loading"


def steps(first: float, others: float = 1000) -> TraceBuilder:
    built = TraceBuilder()
    built.step(1, 0, first)
    for number in range(3):
        start = first + number * others
        built.step(number + 2, start, start + others)
    built.launch(0, 1, runs=(2, 100))
    return built


def test_a_first_step_that_takes_three_times_as_long_is_cold() -> None:
    (finding,) = found(steps(3000), "TRC01")

    assert (finding.severity, finding.removal, finding.saving) == ("info", "needed", None)
    assert (finding.count, finding.steps) == (1, (0,))
    assert finding.numbers == {
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
        assert (finding.numbers["cold_steps"], finding.numbers["loading_ns"]) == (0, 40_000)
        assert (finding.steps, finding.evidence[0].duration_ns) == ((1,), 40_000)


def test_loading_before_the_steps_is_silent() -> None:
    built = steps(1000)
    cupti_works(built, LOADING, -500, -100)
    assert found(built, "TRC01") == []


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
