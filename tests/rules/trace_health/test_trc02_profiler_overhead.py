"""TRC02: the profiler slows down what it shows."""

from __future__ import annotations

import dataclasses
import pathlib

import pytest
from check_cases import CheckCases
from cupti_scenes import cupti_works
from public_report import PublicReport
from rule_scenes import found
from trace_builder import TraceBuilder

from tbprof.model import Finding, HookFacts, Report
from tbprof.report import report_of


def step(length: float = 1000) -> TraceBuilder:
    built = TraceBuilder()
    built.step(1, 0, length)
    built.launch(0, 1, runs=(2, 100))
    return built


def timed_report(unprofiled_ns: int | None, profiled_ns: int) -> Report:
    """Of steps that the hook timed with and without the profiler."""
    facts = HookFacts(
        schema=1,
        tbprof_version="0.1",
        torch_version="2.13.0",
        cuda_version=None,
        driver_version=None,
        device_names=(),
        worker="host_1",
        rank=None,
        world_size=None,
        window=0,
        first_step=10,
        recorded_steps=1,
        options={},
        unprofiled_step_ns=unprofiled_ns,
        profiled_step_ns=profiled_ns,
    )
    return report_of(dataclasses.replace(step().trace(), facts=facts))


def timed(unprofiled_ns: int | None, profiled_ns: int) -> list[Finding]:
    report = timed_report(unprofiled_ns, profiled_ns)
    return [finding for finding in report.findings if finding.rule == "TRC02"]


def test_recording_takes_no_less_than_nothing() -> None:
    report = timed_report(1_000_000, 983_000)
    (check,) = (check for check in report.checks if check.rule == "TRC02")
    assert (check.state, check.numbers()) == ("passed", {"share": 0.0})


def test_steps_that_take_half_as_long_again_are_slowed_down() -> None:
    (finding,) = timed(1_000_000, 1_500_000)
    assert (finding.severity, finding.removal, finding.confidence) == ("info", "needed", "high")
    assert finding.numbers() == {"overhead_share": 0.0, "frames_share": 0.0, "inflation": 0.5}


@pytest.mark.parametrize(("profiled_ns", "count"), [(1_200_000, 0), (1_200_010, 1), (900_000, 0)])
def test_up_to_20_percent_is_silent(profiled_ns: int, count: int) -> None:
    assert len(timed(1_000_000, profiled_ns)) == count


def test_a_step_that_was_not_timed_without_the_profiler_tells_nothing() -> None:
    assert timed(None, 1_500_000) == []


@pytest.mark.parametrize(("takes", "count"), [(49.999, 0), (50, 1)])
def test_cupti_matters_from_5_percent_of_the_steps_on(takes: float, count: int) -> None:
    findings = found(flushing(takes), "TRC02")
    assert len(findings) == count
    for finding in findings:
        assert finding.confidence == "medium"
        assert finding.numbers() == {"overhead_share": 0.05, "frames_share": 0.0}


@pytest.mark.parametrize(("frames", "count"), [(26, 0), (27, 1)])
def test_python_frames_take_190_ns_each(frames: int, count: int) -> None:
    built = step(100)
    for index in range(frames):
        built.frame(f"train.py({index}): step", index, index + 1)
    assert len(found(built, "TRC02")) == count


def test_a_small_model_with_stacks_is_slowed_down_by_them(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    report = public_report(traces / "mi300_bert_small_infer" / "mi300_bert_small.json.gz")
    (finding,) = [finding for finding in report.findings if finding.rule == "TRC02"]
    assert 0.05 < float(finding.numbers()["frames_share"]) < 0.1


def flushing(takes: float) -> TraceBuilder:
    built = step()
    cupti_works(built, "Buffer Flush", 200, 200 + takes)
    return built


CASES = (
    CheckCases(
        "TRC02",
        boundary="5 % of the steps",
        positive=lambda: flushing(500),
        negative=lambda: step(),
        least=lambda: flushing(50),
        below=lambda: flushing(49.999),
    ),
)
