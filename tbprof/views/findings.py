"""A finding as every screen shows it: what, how bad, how to fix it, what that saves."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Literal

from tbprof.judge.steady_steps import marks_steps, typical_window_ns
from tbprof.judge.worth import LineWorth, line_worth
from tbprof.model import (
    Finding,
    PredictedLine,
    Report,
    Saving,
    Savings,
    Scope,
    SiteIndex,
    code_statement,
)
from tbprof.records import dataclass
from tbprof.texts.actions import how_to, line_worth_words, place_of
from tbprof.texts.figures.places import name_words, place_words, scope_of, site_where
from tbprof.texts.finding_notes import finding_note, severity_reason
from tbprof.texts.predicted import (
    ANSWER_ACTION,
    ANSWER_HOW,
    ANSWER_KINDS,
    kind_name,
    option_of_line,
    waits_words,
)
from tbprof.texts.rule_pages import fix_words, rule_words
from tbprof.views.steady import optional_us, us

_ABOUT_HOST = ("LCH", "FUS")


@dataclass(frozen=True, slots=True)
class SavingView:
    """Always three figures; no estimate is null."""

    floor_us: float
    estimate_us: float | None
    ceiling_us: float

    @property
    def amount_us(self) -> float:
        """What is said of it: the estimate, else the ceiling."""
        return self.ceiling_us if self.estimate_us is None else self.estimate_us


@dataclass(frozen=True, slots=True)
class FixView:
    """How the rule's page fixes it: code before and after, and what to know."""

    summary: str
    before: str
    after: str
    caveat: str


@dataclass(frozen=True, slots=True)
class FindingRow:
    """Its saving is that of a step, and the same wherever it is shown."""

    rule: str
    name: str
    title: str
    """What is the case."""
    action: str
    """What to do, in the imperative and without its full stop."""
    severity: Literal["critical", "high", "medium", "low", "info"]
    severity_reason: str
    removal: Literal["drop", "defer", "hoist", "rewrite", "needed"]
    confidence: Literal["high", "medium", "low"]
    count: int
    saving: SavingView | None
    worth: str
    """Its saving in words, and what that rests on; "" if there is none."""
    note: str
    """Its own figures in a sentence, or the option that takes it away; "" if there is nothing to say."""
    what: str
    why: str
    fix: FixView
    fingerprint: str
    sites: tuple[SiteIndex, ...]
    """Indexes into the window's sites."""
    place: str
    """What it is about where it has no sites; "" if that is the whole window."""


def finding_row(finding: Finding, report: Report) -> FindingRow:
    words, fix = rule_words(finding.rule), fix_words(finding)
    saving, scope = finding.saving, scope_of(marks_steps=marks_steps(report))
    worth, steps = line_worth(report, finding), max(len(report.steps), 1)
    shares = (
        None
        if saving is None
        else (share_of_steps(report, saving.floor_ns), share_of_steps(report, saving.ceiling_ns))
    )
    return FindingRow(
        rule=finding.rule,
        name=words.name,
        title=words.title,
        action=fix.action,
        severity=finding.severity,
        severity_reason=severity_reason(shares, scope),
        removal=finding.removal,
        confidence=finding.confidence,
        count=finding.count,
        saving=None if worth.saving is None else saving_view(worth.saving, steps),
        worth=_worth_words(worth, steps, scope),
        note=finding_note(finding, scope),
        what=words.what,
        why=words.why,
        fix=FixView(summary=fix.fix, before=fix.before, after=fix.after, caveat=fix.caveat),
        fingerprint=finding.fingerprint,
        sites=finding.sites,
        place=_place(finding),
    )


def _worth_words(worth: LineWorth, steps: int, scope: Scope) -> str:
    if worth.saving is None:
        return ""
    saves = saving_view(worth.saving, steps)
    alone = saves if worth.alone is None else saving_view(worth.alone, steps)
    return line_worth_words(
        scope,
        estimate_us=saves.estimate_us,
        ceiling_us=saves.ceiling_us,
        alone_us=alone.amount_us,
        after=worth.after,
        within=worth.within,
        instead=worth.instead,
    )


def _place(finding: Finding) -> str:
    """The place: the host's code in words; communication is called by its own names, as are scopes of a
    graph.
    """
    place = finding.figures.place
    if not place:
        origin = finding.remedy.origin
        return name_words(finding.remedy.graphed_in or (f"above all in {origin}" if origin else ""))
    return place_words(place) if finding.rule.startswith(_ABOUT_HOST) else name_words(place)


def places_of(report: Report, found: Sequence[FindingRow]) -> str:
    """Where the findings of one change are: their sites; else what they name."""
    lines = [where for one in found for site in one.sites if (where := site_where(report.sites[site]))]
    is_said = not found[0].place or found[0].place in found[0].action
    places = [] if is_said else [one.place for one in found if one.place]
    return place_of(lines or places)


def share_of_steps(report: Report, saving_ns: int) -> float:
    """What all steps win, 0 to 1: what a cold one would save can be more than all of the others take."""
    return min(saving_ns / typical_window_ns(report), 1.0)


def saving_view(saving: Saving | Savings, parts: int = 1) -> SavingView:
    """The three figures in us, of one of `parts` equal parts."""
    estimate = optional_us(saving.estimate_ns)
    return SavingView(
        us(saving.floor_ns) / parts,
        None if estimate is None else estimate / parts,
        us(saving.ceiling_ns) / parts,
    )


@dataclass(frozen=True, slots=True)
class PredictedRow:
    """Recognized by what the line calls: never with a time."""

    file: str
    line: int
    function: str
    code: str
    """The statement itself; "" where it was not recorded."""
    rule: str
    title: str
    """What the rule says is the case."""
    why: str
    """What the line does, in a few words."""
    action: str
    """What to do, in the imperative and without its full stop."""
    how: str
    worth: str
    """What it does on a GPU, and how often; the time of that nobody knows."""
    per_step: int
    known: Literal["seen", "read"]
    fingerprint: str


_NO_WAITS = ("device_mismatch", "race")
"""Kinds that are worse than a wait: a program that ends, or reads what is not there."""


def predicted_rows(report: Report) -> tuple[PredictedRow, ...]:
    """Errors first, then what runs most often; of these, what drains the device before what waits for its own
    copy alone.
    """
    lines = sorted(report.predicted_lines, key=_urgency)
    scope = scope_of(marks_steps=marks_steps(report))
    rows = tuple(_row(line, report, scope) for line in lines)
    return tuple(map(_of_request, rows, lines)) if _only_infers(report) else rows


def _only_infers(report: Report) -> bool:
    return any(fact.code == "inference" for fact in report.trace.health)


def _of_request(row: PredictedRow, line: PredictedLine) -> PredictedRow:
    """A program that only infers has no loss that could be read less often."""
    if line.kind not in ANSWER_KINDS:
        return row
    return dataclasses.replace(row, action=ANSWER_ACTION, how=ANSWER_HOW)


def _urgency(line: PredictedLine) -> tuple[bool, int, bool]:
    return line.kind not in _NO_WAITS, -line.count, line.kind == "upload"


def _waits(line: PredictedLine) -> int:
    return 0 if line.kind in _NO_WAITS else line.count


def _row(line: PredictedLine, report: Report, scope: Scope) -> PredictedRow:
    assert line.source.line is not None, "a recorded call has a line"
    words = rule_words(line.rule)
    option = option_of_line(line, report.recorded_calls)
    return PredictedRow(
        file=line.source.file,
        line=line.source.line,
        function=line.source.function,
        code=code_statement(line.source, report.sources),
        rule=line.rule,
        title=words.title,
        why=kind_name(line.kind),
        action=words.action if option is None else option.order,
        how=how_to(words) if option is None else option.fix,
        worth=waits_words(line.kind, _waits(line), scope),
        per_step=line.count,
        known=line.known,
        fingerprint=line.fingerprint,
    )
