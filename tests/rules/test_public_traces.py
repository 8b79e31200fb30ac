"""What the rules together say of public trainings whose truth is known."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import pytest
from public_report import PublicReport

from tbprof.judge.actions import rank
from tbprof.model import Report

Reports = Callable[[str], list[Report]]


@pytest.fixture
def reports(traces: pathlib.Path, public_report: PublicReport) -> Reports:
    """Those of a folder."""
    return lambda folder: [public_report(path) for path in sorted((traces / folder).glob("*.gz"))]


@pytest.mark.parametrize("folder", ["h100_transformer_clean", "hta_df_index_memory", "hta_nccl_ddp"])
def test_where_no_wait_or_copy_costs_anything_none_is_blamed(reports: Reports, folder: str) -> None:
    for report in reports(folder):
        about_waits = [f for f in report.findings if f.rule.startswith(("SYN", "CPY"))]
        assert {finding.severity for finding in about_waits} <= {"info"}


@pytest.mark.parametrize("folder", ["h100_transformer_clean", "hta_df_index_memory"])
def test_there_the_host_is_what_the_device_waits_for(reports: Reports, folder: str) -> None:
    for report in reports(folder):
        assert {"LCH01", "LCH02"} & {finding.rule for finding in report.findings}


def test_where_the_host_is_ahead_nothing_is_late(traces: pathlib.Path, public_report: PublicReport) -> None:
    report = public_report(traces / "hta_nccl_ddp" / "ns_resolution.json.gz")
    assert {finding.rule for finding in report.findings} == {"DST03", "PRC01", "TRC03", "TRC04"}


def test_of_a_ddp_training_the_options_are_known_that_it_pays_for(reports: Reports) -> None:
    for report in reports("hta_nccl_ddp"):
        found = {one.numbers()["place"]: one for one in report.findings if one.rule == "DST03"}
        copies = found["gradient_as_bucket_view=True"]
        # One copy for each of the model's 161 parameters.
        assert (copies.count, copies.severity) == (161 * len(report.steps), "low")


def test_there_the_host_packs_all_buffers_before_each_forward(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    """By the raw events 36 to 39 ms of a step of 222, from the first packing to the last copy back."""
    report = public_report(traces / "hta_nccl_ddp" / "nccl_data.json.gz")
    found = {one.numbers()["place"]: one for one in report.findings if one.rule == "DST03"}
    packing = found["broadcast_buffers=False"]
    assert 34e6 <= float(packing.numbers()["per_step_ns"]) <= 39e6
    assert rank(report).actions[0].findings[0] == report.findings.index(packing)


def test_a_training_without_workers_is_bound_by_its_input_before_its_copies(reports: Reports) -> None:
    for report in reports("kineto_resnet50_nw0"):
        first, second = [finding for finding in report.findings if finding.rule[:3] in ("DAT", "CPY")][:2]
        assert (first.rule, first.severity) == ("DAT01", "critical")
        assert (second.rule, second.severity) == ("CPY01", "medium")


def test_where_the_device_hardly_ever_runs_dry_nothing_is_worse_than_low(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    report = public_report(traces / "hta_trace_diff" / "test.json.gz")
    about_the_host = [finding for finding in report.findings if finding.rule[:3] not in ("DST", "PRC")]
    assert {finding.severity for finding in about_the_host} <= {"low", "info"}


def test_a_finding_about_the_window_has_evidence_in_its_steps(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    for file in ("hta_trace_diff/control.json.gz", "hta_nccl_ddp/nccl_data.json.gz"):
        report = public_report(traces / file)
        for finding in report.findings:
            assert finding.evidence
            assert {item.step for item in finding.evidence} - {None} <= set(finding.steps)
            assert all(item.start_ns >= 0 for item in finding.evidence)
