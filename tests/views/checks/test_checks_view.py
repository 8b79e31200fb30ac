"""The page Checks: failed by worth, then what nobody could look at, then what passed."""

from __future__ import annotations

import dataclasses

from report_samples import REPORT, changed

from tbprof.model import Check, PredictedLine, Remedy, Report, Saving, Source
from tbprof.rules.base.words import SyncPoints
from tbprof.rules.words import OTHER_VERSION, OtherVersion
from tbprof.texts.rule_pages import rule_words
from tbprof.views.checks import CheckRow, checks_summary, checks_view
from tbprof.views.findings import finding_row
from tbprof.views.overview_view import overview_view

WAIT = REPORT.findings[0]
UNSAVED = dataclasses.replace(WAIT, rule="TRC02", severity="info", saving=None)
CHECKS = (
    Check("SYN01", "failed", finding=0),
    Check("SYN02", "passed", figures=SyncPoints(12, 3)),
    Check("SYN04", "not_checked"),
    Check("CPY04", "not_checked", needs=("shapes",)),
    Check("CPY12", "not_checked", needs=("shapes",)),
    Check("LCH03", "not_applicable"),
    Check("TRC02", "failed", finding=1),
)


def rows() -> dict[str, CheckRow]:
    report = changed(checks=CHECKS, findings=(WAIT, UNSAVED))
    return {row.rule: row for row in checks_view(report).rows}


def test_failed_ones_come_first_and_those_that_cost_nothing_after_them() -> None:
    assert list(rows()) == ["SYN01", "TRC02", "SYN04", "CPY04", "CPY12", "SYN02", "LCH03"]


def test_a_failed_check_has_its_bracket_or_why_it_has_none() -> None:
    assert rows()["SYN01"].saving is not None
    assert rows()["SYN01"].no_saving == ""
    assert rows()["TRC02"].no_saving.startswith("No saving can be given: it says how far")


def test_a_passed_check_says_what_it_looked_at() -> None:
    assert rows()["SYN02"].said == "12 sync points looked at, none is of this kind."


def test_a_broken_rule_says_its_error_and_a_missing_recording_its_name() -> None:
    assert rows()["SYN04"].said == "could not run: ValueError: x"
    assert rows()["CPY04"].said == "not checked: no shapes recorded"


def test_one_recording_lets_several_look() -> None:
    (missing,) = checks_view(changed(checks=CHECKS[:-1])).missing[:1]
    assert missing.rules == ("CPY04", "CPY12")
    assert missing.code == "tbprof run --record-shapes train.py"


def test_the_sentence_counts_what_costs_something() -> None:
    dear = dataclasses.replace(WAIT, saving=Saving(0, None, 6_000_000))
    report = changed(checks=CHECKS, findings=(dear, UNSAVED), fix_plan=())
    assert checks_summary(report).startswith("1 check failed, the costliest worth up to 50")
    assert checks_summary(changed(checks=CHECKS, findings=())).startswith("No check failed; ")


def predicting(*checks: Check) -> Report:
    """Of a recording without a GPU in which two lines would read a scalar back."""
    source = Source("src/train.py", 7, "step", exact=True, candidates=())
    line = PredictedLine("SYN01", "scalar_read", source, "item", 1, "seen", "f1")
    other = dataclasses.replace(line, source=dataclasses.replace(source, line=9), fingerprint="f2")
    return changed(idle=None, findings=(), checks=checks, predicted_lines=(line, other))


def test_what_would_fail_on_a_gpu_is_no_check_without_anything_to_judge() -> None:
    report = predicting(Check("SYN02", "passed"), Check("SYN01", "not_applicable"))
    first, second = checks_view(report).rows
    assert (first.rule, first.state, first.findings) == ("SYN01", "predicted", 2)
    assert first.said == "train.py:7: reads one number back. And 1 more place."
    assert first.action == "Read this value less often, or one step late"
    assert first.no_saving == "No saving can be given: only a recording on a GPU tells how long."
    assert second.state == "passed"


def test_the_sentence_counts_what_would_fail_on_a_gpu() -> None:
    report = predicting(Check("SYN02", "passed"), Check("SYN01", "not_applicable"))
    assert checks_summary(report) == (
        "No check failed; 1 would fail on a GPU, for 2 lines; 1 passed, 0 could not be checked."
    )


def test_what_could_not_be_checked_and_would_fail_on_a_gpu_is_counted_once() -> None:
    report = predicting(Check("SYN01", "not_checked", needs=("shapes",)))
    assert checks_summary(report).endswith("0 could not be checked.")


def test_figures_of_another_version_are_said_to_be_that() -> None:
    report = changed(checks=(Check("SYN02", "passed", figures=OtherVersion({"other": 1})),))
    assert checks_view(report).rows[0].said == OTHER_VERSION


def test_a_finding_without_figures_of_its_own_says_how_often_its_sites_waited() -> None:
    readback = next(finding for finding in REPORT.findings if finding.sites)
    site = REPORT.sites[readback.sites[0]]
    shown = {row.rule: row for row in checks_view(changed(checks=CHECKS, findings=(readback,))).rows}
    assert shown[readback.rule].said.startswith(f"{site.blocking:,} sync point")
    assert checks_summary(changed(checks=CHECKS, findings=(WAIT, UNSAVED))).endswith(
        "; 1 is worth no change, 1 passed, 3 could not be checked."
    )


def test_what_a_check_is_worth_is_that_of_all_its_places() -> None:
    place = dataclasses.replace(WAIT, rule="LCH01", sites=(), saving=Saving(0, None, 3_000_000))
    checks = (Check("LCH01", "failed", finding=0),)
    one, two = (changed(checks=checks, findings=(place,) * often, fix_plan=()) for often in (1, 2))
    (alone,), (both,) = checks_view(one).rows, checks_view(two).rows
    assert alone.saving is not None
    assert both.saving is not None
    assert both.saving.ceiling_us == 2 * alone.saving.ceiling_us
    assert both.said == f"{alone.said} And 1 more place.".strip()
    assert "worth up to 25\u202f%" in checks_summary(one)
    assert "worth up to 50\u202f%" in checks_summary(two)


def test_sites_can_hide_one_another_and_are_not_added_up() -> None:
    (row,) = checks_view(changed(checks=CHECKS[:1], findings=(WAIT, WAIT))).rows
    (alone,) = checks_view(changed(checks=CHECKS[:1], findings=(WAIT,))).rows
    assert WAIT.sites
    assert row.saving == alone.saving


def test_the_list_and_the_actions_take_the_same_step() -> None:
    steps = [dataclasses.replace(REPORT.steps[0], cold=False, duration_ns=ns) for ns in (40, 40, 10)]
    found = dataclasses.replace(WAIT, rule="LCH01", sites=(), saving=Saving(0, None, 27))
    report = changed(
        steps=tuple(steps), findings=(found,), fix_plan=(), checks=(Check("LCH01", "failed", finding=0),)
    )
    (action,) = overview_view(report).actions
    share = f"{round(100 * action.share)}\u202f%"
    assert f"at most {share}" in action.finding.severity_reason
    assert f"worth up to {share}" in checks_summary(report)


def test_a_finding_that_another_rule_fixes_is_acted_on_as_that_one_says() -> None:
    fixed = dataclasses.replace(WAIT, rule="MEM02", remedy=Remedy(fixed_as="ENV05"))
    report = changed(findings=(fixed,), checks=(Check("MEM02", "failed", finding=0),))
    (row,) = checks_view(report).rows
    assert row.action == finding_row(fixed, report).action == rule_words("ENV05").action
