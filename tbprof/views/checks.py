"""A report to the records of the page Checks."""

from __future__ import annotations

from collections import defaultdict
from pathlib import PurePath
from typing import Literal

from tbprof.judge.room import together
from tbprof.judge.steady_steps import marks_steps, typical_window_ns
from tbprof.judge.worth import line_worth
from tbprof.model import GPU_RATES, SEVERITIES, Check, Finding, Report, Saving, Scope
from tbprof.records import dataclass
from tbprof.texts.check_outcomes import (
    FAMILY_NAMES,
    PREDICTED_SAVING,
    CheckCounts,
    checks_sentence,
    no_saving_sentence,
    other_places_sentence,
    passed_sentence,
    points_sentence,
    predicted_sentence,
    recording_of,
)
from tbprof.texts.figures.places import scope_of
from tbprof.texts.finding_notes import finding_note, not_checked_sentence, rule_failed_sentence
from tbprof.texts.rule_pages import GuideLink, fix_words, guides_of, rule_words
from tbprof.views.findings import (
    PredictedRow,
    SavingView,
    predicted_rows,
    saving_view,
    share_of_steps,
)

_STATES = ("failed", "predicted", "not_checked", "passed", "not_applicable")


def checks_view(report: Report) -> ChecksView:
    """All checks of a window; none of a report that a version without them wrote."""
    scope = scope_of(marks_steps=marks_steps(report))
    predicted = _predicted_lines(report)
    rows = [
        _predicted_row(check, predicted[check.rule])
        if check.rule in predicted
        else _row(report, check, scope)
        for check in report.checks
    ]
    return ChecksView(
        sentence=checks_summary(report),
        rows=tuple(sorted(rows, key=_failed_first)),
        marks_steps=marks_steps(report),
        missing=_missing(report.checks),
    )


def checks_summary(report: Report) -> str:
    """How many failed, what the costliest is worth, and how many nobody could look at."""
    predicted = _predicted_lines(report)
    states = [check.state for check in report.checks if check.rule not in predicted]
    failed = {finding.rule for finding in report.findings if finding.severity != "info"}
    savings = [saving for rule in failed if (saving := _worth(report, rule)) is not None]
    worth = max((share_of_steps(report, saving.ceiling_ns) for saving in savings), default=None)
    scope = scope_of(marks_steps=marks_steps(report))
    harmless = states.count("failed") - len(failed)
    counts = CheckCounts(
        failed=len(failed),
        predicted=len(predicted),
        lines=len({(line.file, line.line) for lines in predicted.values() for line in lines}),
        harmless=harmless,
        passed=states.count("passed"),
        not_checked=states.count("not_checked"),
    )
    return checks_sentence(counts, worth, scope)


def _predicted_lines(report: Report) -> dict[str, list[PredictedRow]]:
    """What was seen of checks that found nothing themselves, by rule: without a GPU nothing waits for one."""
    quiet = {check.rule for check in report.checks if check.state != "failed"}
    lines: defaultdict[str, list[PredictedRow]] = defaultdict(list)
    for row in predicted_rows(report):
        if row.rule in quiet:
            lines[row.rule].append(row)
    return dict(lines)


def _predicted_row(check: Check, lines: list[PredictedRow]) -> CheckRow:
    first, others = lines[0], len(lines) - 1
    said = predicted_sentence(f"{PurePath(first.file).name}:{first.line}", first.why)
    return CheckRow(
        rule=check.rule,
        name=rule_words(check.rule).name,
        title=first.title,
        family=FAMILY_NAMES.get(check.rule[:3], check.rule[:3]),
        state="predicted",
        severity=None,
        said=f"{said} {other_places_sentence(others)}" if others else said,
        action=first.action,
        findings=len(lines),
        saving=None,
        no_saving=PREDICTED_SAVING,
        sites=(),
        guides=guides_of(check.rule),
    )


def _row(report: Report, check: Check, scope: Scope) -> CheckRow:
    words = rule_words(check.rule)
    finding = _worst(report, check)
    saving = None if finding is None else _worth(report, check.rule)
    return CheckRow(
        rule=check.rule,
        name=words.name,
        title=words.title,
        family=FAMILY_NAMES.get(check.rule[:3], check.rule[:3]),
        state=check.state,
        severity=None if finding is None else finding.severity,
        said=_said(report, check, scope) if finding is None else _found(report, finding, scope),
        action="" if finding is None else fix_words(finding).action,
        findings=sum(finding.rule == check.rule for finding in report.findings),
        saving=None if saving is None else saving_view(saving, max(len(report.steps), 1)),
        no_saving="" if finding is None else no_saving_sentence(finding),
        sites=() if finding is None else finding.sites,
        guides=() if finding is None else guides_of(check.rule),
    )


def _worth(report: Report, rule: str) -> Saving | None:
    """The worth of all its places together, as the actions say it; of sites, which can hide one another, the
    worst.
    """
    mine = [finding for finding in report.findings if finding.rule == rule and finding.severity != "info"]
    mine = mine or [finding for finding in report.findings if finding.rule == rule]
    apart = mine[:1] if mine[0].sites else [finding for finding in mine if not finding.sites]
    savings = [saving for one in apart if (saving := line_worth(report, one).saving) is not None]
    return together(savings, typical_window_ns(report)) if savings else None


def _found(report: Report, worst: Finding, scope: Scope) -> str:
    """The evidence of the worst, and that there are others."""
    others = sum(finding.rule == worst.rule for finding in report.findings) - 1
    said = _evidence(report, worst, scope)
    return f"{said} {other_places_sentence(others)}".strip() if others else said


def _evidence(report: Report, finding: Finding, scope: Scope) -> str:
    """What its own figures say, or those of its sites."""
    sites = [report.sites[index] for index in finding.sites]
    points = sum(site.blocking for site in sites)
    waited_us = sum(site.wait_ns for site in sites) / 1000
    return finding_note(finding, scope) or (points_sentence(points, waited_us) if points else "")


def _worst(report: Report, check: Check) -> Finding | None:
    """Findings stand worst first."""
    mine = (finding for finding in report.findings if finding.rule == check.rule)
    return None if check.state != "failed" else next(mine, None)


def _said(report: Report, check: Check, scope: Scope) -> str:
    if check.state == "passed":
        return passed_sentence(check, scope)
    if check.state == "not_applicable":
        return "Nothing of its kind in this window, or another check speaks for it."
    broken = (row.error for row in report.failed_rules if row.rule == check.rule)
    if not check.needs:
        return rule_failed_sentence(next(broken, ""))
    return not_checked_sentence(*check.needs)


def _failed_first(row: CheckRow) -> tuple[int, int, float]:
    severity = -1 if row.severity is None else SEVERITIES.index(row.severity)
    return _STATES.index(row.state), severity, 0.0 if row.saving is None else -row.saving.ceiling_us


def _missing(checks: tuple[Check, ...]) -> tuple[MissingRecording, ...]:
    waiting: defaultdict[str, list[str]] = defaultdict(list)
    for check in checks:
        for need in (need for need in check.needs if need != GPU_RATES):
            waiting[need].append(check.rule)
    most_first = sorted(waiting.items(), key=lambda item: -len(item[1]))
    return tuple(
        MissingRecording(recording_of(need).what, recording_of(need).code, tuple(rules))
        for need, rules in most_first
    )


@dataclass(frozen=True, slots=True)
class CheckRow:
    rule: str
    name: str
    title: str
    """What is the case where it fails."""
    family: str
    """In words, such as `Input pipeline`."""
    state: Literal["passed", "failed", "predicted", "not_checked", "not_applicable"]
    """`predicted`: no GPU was recorded, and lines were seen for which it would fail on one."""
    severity: Literal["critical", "high", "medium", "low", "info"] | None
    """The severity of a failed one."""
    said: str
    """The evidence in a sentence: what was found, what was looked at, or why nobody could look."""
    action: str
    """What to do about a failed or predicted one, in the imperative."""
    findings: int
    """How many it has; of a predicted one how many lines."""
    saving: SavingView | None
    """The saving of a step: all places together, or the worst where they are sites, which can hide one
    another."""
    no_saving: str
    """Why a failed or predicted one has none; "" if it has."""
    sites: tuple[int, ...]
    """The sites of its worst finding."""
    guides: tuple[GuideLink, ...]
    """The guides that advise what a failed or predicted one checks."""


@dataclass(frozen=True, slots=True)
class MissingRecording:
    """What to record so that some rules can look."""

    what: str
    code: str
    """To be copied; "" if there is none."""
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChecksView:
    sentence: str
    rows: tuple[CheckRow, ...]
    """Failed ones first, by worth, then predicted ones; of equal ones by family and code."""
    marks_steps: bool
    """Whether savings are those of a step; else of the window."""
    missing: tuple[MissingRecording, ...]
    """What makes most rules checkable first; a rule with two needs is listed under each."""
