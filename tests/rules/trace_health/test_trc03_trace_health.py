"""TRC03: the trace lacks something that the figures rest on."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from public_report import PublicReport
from rule_scenes import found
from trace_builder import TraceBuilder

from tbprof.report import report_of
from tbprof.trace.importers.kineto.reader import read_trace

UNKNOWN = 99_999
"""A correlation that no call bears."""


def work(launched: int, stray: int) -> TraceBuilder:
    built = TraceBuilder()
    built.step(1, 0, 10_000)
    for index in range(launched):
        at = 10.0 * index
        built.launch(at, at + 1, runs=(at + 2, at + 9))
    for index in range(stray):
        at = 10.0 * (launched + index)
        built.kernel(at, at + 5, correlation=UNKNOWN + index)
    return built


def test_device_work_without_launches_is_found() -> None:
    (finding,) = found(work(60, 40), "TRC03")
    assert (finding.severity, finding.removal, finding.saving, finding.count) == ("info", "needed", None, 40)
    assert finding.numbers() == {
        "damaged": 0,
        "without_launch": 40,
        "before_launch": 0,
        "unnamed_waits": 0,
    }


def test_a_whole_trace_is_silent() -> None:
    assert found(work(100, 0), "TRC03") == []


@pytest.mark.parametrize(("stray", "count"), [(4, 0), (5, 1)])
def test_under_5_percent_is_what_ran_before_the_window(stray: int, count: int) -> None:
    assert len(found(work(100 - stray, stray), "TRC03")) == count


@pytest.mark.parametrize(("early", "count"), [(10, 0), (10.001, 1)])
def test_clocks_that_differ_by_more_than_10_us_disagree(early: float, count: int) -> None:
    built = work(10, 0)
    built.launch(500, 501, runs=(500 - early, 600))
    findings = found(built, "TRC03")
    assert [finding.numbers()["before_launch"] for finding in findings] == [1] * count


def test_a_stream_that_waits_for_one_without_a_name_is_found() -> None:
    built = work(10, 0)
    built.call("cudaStreamWaitEvent", 500, 502)
    (finding,) = found(built, "TRC03")
    assert finding.numbers()["unnamed_waits"] == 1


def test_a_stream_that_waits_for_one_with_a_name_is_silent() -> None:
    built = work(10, 0)
    built.stream_wait(500, 502, stream=7, awaited=20)
    assert found(built, "TRC03") == []


def test_a_file_that_broke_off_is_found(tmp_path: pathlib.Path) -> None:
    whole = work(10, 0).write(tmp_path / "host_1.1.pt.trace.json").read_bytes()
    broken = tmp_path / "host_1.2.pt.trace.json"
    broken.write_bytes(whole[: len(whole) * 3 // 4])
    report = report_of(read_trace(broken))
    (finding,) = [finding for finding in report.findings if finding.rule == "TRC03"]
    assert finding.numbers()["damaged"] == 1


def test_sync_events_name_what_streams_wait_for(traces: pathlib.Path, public_report: PublicReport) -> None:
    def codes(path: pathlib.Path) -> set[str]:
        return {finding.rule for finding in public_report(path).findings}

    assert "TRC03" not in codes(traces / "hta_critical_path" / "alexnet.json.gz")
    assert "TRC03" in codes(traces / "hta_nccl_ddp" / "nccl_data.json.gz")


CASES = (
    CheckCases(
        "TRC03",
        boundary="5 % of the device's rows",
        positive=lambda: work(60, 40),
        negative=lambda: work(100, 0),
        least=lambda: work(95, 5),
        below=lambda: work(96, 4),
    ),
)
