"""From a report to what a build can be failed for."""

from __future__ import annotations

import dataclasses

import pytest
from report_samples import REPORT, SITE, changed, step

from tbprof.model import (
    Check,
    Finding,
    NotChecked,
    PredictedLine,
    RecordedCall,
    Remedy,
    Report,
    Source,
    SourceText,
)
from tbprof.views.check import Recording
from tbprof.views.failing_findings import report_recording

STEPS = (step(1, 9_000_000, cold=True), step(2, 4_000_000), step(3, 4_000_000))
EXACT = Source("train.py", 12, "train", exact=True, candidates=())
READ = dataclasses.replace(SITE, source=EXACT, per_step=(9, 1, 2), blocking=12, count=12)
FINDING = dataclasses.replace(REPORT.findings[0], sites=(0,), steps=(0, 1, 2))


def report(*findings: Finding, code: str = "x = loss.item()", **changes: object) -> Report:
    text = SourceText("train.py", 12, code)
    whole = {"steps": STEPS, "sites": (READ,), "findings": findings, "fix_plan": (), "sources": (text,)}
    return changed(**{**whole, **changes})


def recording(shown: Report) -> Recording:
    return report_recording(shown)


def test_a_finding_has_its_line_its_kind_and_the_most_of_a_warm_step() -> None:
    (found,) = recording(report(FINDING)).found
    assert (found.rule, found.kind, found.code) == ("SYN01", "scalar_read", "x = loss.item()")
    assert (found.file, found.line, found.function) == ("train.py", 12, "train")
    assert found.per_step == 2
    assert found.fingerprint == FINDING.fingerprint


def test_a_line_says_in_how_many_of_the_warm_steps_it_ran() -> None:
    (found,) = recording(report(FINDING)).found
    assert found.often == "2 a step"
    seldom = dataclasses.replace(READ, per_step=(9, 0, 2))
    (found,) = recording(report(FINDING, sites=(seldom,))).found
    assert found.often == "2 in 1 of 2 steps"


def test_what_only_cold_steps_have_is_no_part_of_a_step() -> None:
    once = dataclasses.replace(READ, per_step=(1, 0, 0))
    assert recording(report(FINDING, sites=(once,))).found == ()


def test_a_site_whose_rows_were_left_out_counts_by_its_mean() -> None:
    bare = dataclasses.replace(READ, per_step=())
    (found,) = recording(report(dataclasses.replace(FINDING, count=7), sites=(bare,))).found
    assert (found.per_step, found.often) == (3, "3 a step")


def test_a_comment_beside_the_line_suppresses_it_and_its_sync_points() -> None:
    steps = tuple(dataclasses.replace(one, sync_points=5) for one in STEPS)
    assert recording(report(FINDING, steps=steps)).sync_points == 5
    silent = recording(report(FINDING, steps=steps, code="x = loss.item()  # tbprof: ignore[SYN01] rarely"))
    assert silent.found[0].suppressed == "rarely"
    assert silent.sync_points == 4


def test_a_line_that_is_only_that_of_the_def_suppresses_nothing() -> None:
    site = dataclasses.replace(READ, source=dataclasses.replace(EXACT, exact=False))
    (found,) = recording(report(FINDING, sites=(site,), code="def f():  # tbprof: ignore")).found
    assert (found.suppressed, found.code) == (None, "")


def test_what_rests_on_a_time_or_is_about_no_line_warns() -> None:
    window = dataclasses.replace(FINDING, rule="LCH01", sites=(), severity="high")
    slow = dataclasses.replace(FINDING, rule="CPY13", severity="medium")
    leave = dataclasses.replace(FINDING, rule="LCH02", sites=(), severity="info")
    judged = recording(report(window, slow, leave))
    assert judged.found == ()
    assert [(row.rule, row.file) for row in judged.warned] == [("LCH01", ""), ("CPY13", "train.py")]


def test_lines_of_a_run_without_a_gpu_are_found_as_predicted() -> None:
    line = PredictedLine("SYN02", "control_flow", EXACT, "__bool__", 3, "seen", "abc")
    judged = recording(report(idle=None, predicted_lines=(line,), sites=()))
    assert judged.predicted
    assert [(found.rule, found.per_step, found.predicted) for found in judged.found] == [("SYN02", 3, True)]
    assert judged.sync_points == 3


@pytest.mark.parametrize(
    ("call", "via", "option"),
    [
        ("__bool__", "torch/distributions/distribution.py", "set_default_validate_args(False)"),
        ("linalg_inv", "", "torch.linalg.inv_ex"),
        ("__bool__", "torch/nn/functional.py", ""),
    ],
)
def test_a_predicted_line_has_the_option_of_what_torch_does_for_it(call: str, via: str, option: str) -> None:
    line = PredictedLine("SYN02", "control_flow", EXACT, call, 3, "seen", "abc")
    recorded = RecordedCall("train.py", 12, "train", call, 3, ("cpu",), None, None, via=via)
    judged = recording(report(idle=None, predicted_lines=(line,), recorded_calls=(recorded,), sites=()))
    assert option in judged.found[0].option
    assert bool(option) == bool(judged.found[0].option)


def test_a_line_of_a_framework_has_its_option_beside_what_the_rule_says() -> None:
    hinted = dataclasses.replace(FINDING, remedy=Remedy(hint="transformers_nan_filter"))
    (plain,) = recording(report(FINDING)).found
    (found,) = recording(report(hinted)).found
    assert (found.fix, plain.option) == (plain.fix, "")
    assert "logging_nan_inf_filter=False" in found.remedy


def test_what_could_not_look_is_named_by_rule_and_where_it_is_all_of_it_by_family() -> None:
    checks = (Check("SYN01", "passed"), Check("SYN10", "not_checked"), Check("LCH01", "not_checked"))
    unchecked = (NotChecked("SYN10", "GPU work"), NotChecked("LCH01", "GPU work"))
    judged = recording(report(not_checked=unchecked, failed_rules=(), checks=checks))
    assert judged.unchecked == {"SYN10", "LCH01", "LCH"}
    line = PredictedLine("SYN10", "control_flow", EXACT, "__bool__", 3, "seen", "abc")
    host_only = {"idle": None, "sites": (), "failed_rules": (), "predicted_lines": (line,)}
    assert recording(report(not_checked=unchecked, checks=checks, **host_only)).unchecked == {"LCH01", "LCH"}


def test_a_part_of_the_steps_that_nobody_knows_has_no_share() -> None:
    assert recording(report(idle=None)).shares == {}
    assert recording(report(communication=None)).shares.keys() == {"idle"}
