"""A finding as every screen shows it: what, how bad, how to fix it, what that saves."""

from __future__ import annotations

from typing import Literal

from tbprof.model import Finding, Report, Saving, Savings, SiteIndex
from tbprof.records import dataclass
from tbprof.texts.figures.names import name_words
from tbprof.texts.figures.places import place_words
from tbprof.texts.figures.scopes import scope_of
from tbprof.texts.findings.finding_notes import finding_note
from tbprof.texts.findings.rule_pages import fix_words, rule_words
from tbprof.texts.findings.severity_reason import severity_reason
from tbprof.views.base.steady import marks_steps, mean_step_us
from tbprof.views.base.times import optional_us, us

_ABOUT_HOST = "LCH"


@dataclass(frozen=True, slots=True)
class SavingView:
    """Always three figures; no estimate is null."""

    floor_us: float
    estimate_us: float | None
    ceiling_us: float


@dataclass(frozen=True, slots=True)
class FixView:
    """How the rule's page fixes it: code before and after, and what to know."""

    summary: str
    before: str
    after: str
    caveat: str


@dataclass(frozen=True, slots=True)
class FindingRow:
    """Its saving is that of the window."""

    rule: str
    name: str
    title: str
    """What is the case."""
    action: str
    """What to do, in the imperative and without its full stop."""
    severity: Literal["critical", "high", "medium", "low", "info"]
    severity_reason: str
    removal: Literal["drop", "defer", "rewrite", "needed"]
    confidence: Literal["high", "medium", "low"]
    count: int
    saving: SavingView | None
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
        saving=None if saving is None else saving_view(saving),
        note=finding_note(finding, scope),
        what=words.what,
        why=words.why,
        fix=FixView(summary=fix.fix, before=fix.before, after=fix.after, caveat=fix.caveat),
        fingerprint=finding.fingerprint,
        sites=finding.sites,
        place=_place(finding),
    )


def _place(finding: Finding) -> str:
    """Of the host's code in words; communication is called by its own names."""
    place = str(finding.numbers.get("place", ""))
    return place_words(place) if finding.rule.startswith(_ABOUT_HOST) else name_words(place)


def share_of_steps(report: Report, saving_ns: int) -> float:
    """What all steps win, 0 to 1: what a cold one would save can be more than all of the others take."""
    room_ns = (mean_step_us(report) or 0.0) * 1000 * len(report.steps)
    return min(saving_ns / max(room_ns, 1.0), 1.0)


def saving_view(saving: Saving | Savings, parts: int = 1) -> SavingView:
    """The three figures in us, of one of `parts` equal parts."""
    estimate = optional_us(saving.estimate_ns)
    return SavingView(
        us(saving.floor_ns) / parts,
        None if estimate is None else estimate / parts,
        us(saving.ceiling_ns) / parts,
    )
