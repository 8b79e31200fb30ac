"""TRC04: a step on the host is not a step on the GPU."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from public_report import PublicReport
from rule_scenes import found
from trace_builder import TraceBuilder


def steps(lag: float) -> TraceBuilder:
    """Three steps of 1000 us; the work of the second ends `lag` after it."""
    built = TraceBuilder()
    for number in range(3):
        start = 1000.0 * number
        built.step(number, start, start + 1000)
        end = start + 1000 + (lag if number == 1 else -10)
        built.launch(start + 20, start + 21, runs=(start + 22 + (lag if number == 2 else 0), end))
    return built


def test_work_that_ends_long_after_its_step_is_found() -> None:
    (finding,) = found(steps(400), "TRC04")
    assert (finding.severity, finding.removal, finding.saving) == ("info", "needed", None)
    assert (finding.count, finding.steps) == (1, (1,))
    assert finding.numbers() == {"steps": 1, "worst_lag_ns": 400_000, "worst_share": 0.4}


def test_work_that_ends_in_time_is_silent() -> None:
    assert found(steps(-10), "TRC04") == []


@pytest.mark.parametrize(("lag", "count"), [(100, 0), (100.001, 1)])
def test_up_to_10_percent_of_a_step_is_silent(lag: float, count: int) -> None:
    assert len(found(steps(lag), "TRC04")) == count


def test_a_cold_step_does_not_count() -> None:
    built = TraceBuilder()
    built.step(0, 0, 5000)
    built.launch(10, 11, runs=(12, 6000))
    for number in range(3):
        start = 5000 + 1000.0 * number
        built.step(number + 1, start, start + 1000)
    assert found(built, "TRC04") == []


def test_without_steps_it_is_not_checked() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(2, 30))
    assert ("TRC04", "steps") in {(row.rule, row.needs) for row in built.report().not_checked}


def test_a_host_that_is_a_whole_step_ahead_is_found(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    report = public_report(traces / "hta_nccl_ddp" / "ns_resolution.json.gz")
    (finding,) = [finding for finding in report.findings if finding.rule == "TRC04"]
    assert (finding.count, finding.severity) == (5, "info")
    assert "worst_share" not in finding.numbers()
    assert float(finding.numbers()["worst_steps"]) > 1


CASES = (
    CheckCases(
        "TRC04",
        boundary="10 % of a step",
        positive=lambda: steps(400),
        negative=lambda: steps(-10),
        least=lambda: steps(100.001),
        below=lambda: steps(100),
    ),
)
