"""SYN10: several waits hide one another."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from masked_scene import masked_reads
from public_report import PublicReport
from rule_scenes import found
from scenes import host_bound


def test_reads_that_hide_each_other_are_one_finding_over_their_sites() -> None:
    (finding,) = found(masked_reads(), "SYN10")
    assert (finding.sites, finding.count, finding.removal) == ((0, 1), 8, "defer")
    assert finding.numbers() == {"joint_ns": 654_000, "singles_ns": 104_000, "steps": 4}
    assert finding.saving is not None
    assert finding.saving.estimate_ns == 654_000


def test_its_sites_keep_findings_of_their_own_and_the_plan_has_only_those() -> None:
    report = masked_reads().report()
    of_sites = [f.rule for f in report.findings if f.rule.startswith("SYN") and f.rule != "SYN10"]
    assert sorted(of_sites) == ["SYN01", "SYN04"]
    planned = [report.findings[row.finding].rule for row in report.fix_plan]
    assert planned == ["SYN01", "SYN04"]
    assert report.fix_plan[-1].total_ns == 654_000


@pytest.mark.parametrize(("between", "count"), [(270, 1), (271, 0)])
def test_together_they_win_1_3_times_what_they_win_alone(between: float, count: int) -> None:
    assert len(found(masked_reads(between=between), "SYN10")) == count


@pytest.mark.parametrize("second", ["aten::is_nonzero", "aten::nonzero"])
def test_a_wait_that_needs_something_in_its_place_takes_no_part(second: str) -> None:
    assert found(masked_reads(second=second), "SYN10") == []


def test_one_wait_hides_nothing() -> None:
    assert found(host_bound(), "SYN10") == []


def test_a_recommender_wins_twice_as_much_by_fixing_both(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    report = public_report(traces / "hta_trace_diff" / "control.json.gz")
    (finding,) = [finding for finding in report.findings if finding.rule == "SYN10"]
    assert {report.sites[site].direction for site in finding.sites} == {"DtoH"}
    assert len(finding.sites) == 2
    assert int(finding.numbers()["joint_ns"]) > 1.5 * int(finding.numbers()["singles_ns"])


def test_where_the_device_never_stops_nothing_is_hidden(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    report = public_report(traces / "hta_trace_diff" / "test.json.gz")
    assert [finding for finding in report.findings if finding.rule == "SYN10"] == []


CASES = (
    CheckCases(
        "SYN10",
        boundary="together 1.3 times what they win alone",
        positive=lambda: masked_reads(),
        negative=lambda: host_bound(),
        least=lambda: masked_reads(between=270),
        below=lambda: masked_reads(between=271),
    ),
)
