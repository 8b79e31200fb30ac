"""The ranked actions as the rows of a screen."""

from __future__ import annotations

from tbprof.model import SEVERITIES, Report, Severity, severity_of_share
from tbprof.texts.figures.scopes import scope_of
from tbprof.texts.findings.actions import (
    HOW_TOGETHER,
    TOGETHER,
    bounds_words,
    how_to,
    smaller_sentence,
    worth_words,
)
from tbprof.texts.findings.rule_pages import fix_words
from tbprof.texts.findings.severity_reason import severity_scale
from tbprof.views.base.steady import marks_steps
from tbprof.views.base.times import us
from tbprof.views.findings.actions import Ranked
from tbprof.views.findings.findings import FindingRow, SavingView, finding_row, saving_view
from tbprof.views.findings.weighed_actions import Action
from tbprof.views.overview.overview import ActionRow, SeverityRow


def action_rows(report: Report, ranked: Ranked, step_us: float) -> tuple[ActionRow, ...]:
    """The actions in their order, in us of a step of `step_us`."""
    first = next((action for action in ranked.actions if action.total_ns is not None), None)
    return tuple(
        _row(report, action, step_us, adds=action.total_ns is not None and action is not first)
        for action in ranked.actions
    )


def smaller_actions(report: Report, ranked: Ranked, step_us: float) -> str:
    """Beside the rows of the plan that are shown: without one, no figure rests on these."""
    if not ranked.smaller or all(action.total_ns is None for action in ranked.actions):
        return ""
    steps = max(len(report.steps), 1)
    added_us = sum(us(action.saving.estimate_ns or 0) for action in ranked.smaller) / steps
    scope = scope_of(marks_steps=marks_steps(report))
    then_us = step_us - us(report.fix_plan[-1].total_ns) / steps
    return smaller_sentence(len(ranked.smaller), scope, added_us=added_us, then_us=then_us)


def severity_rows(*, marks_steps: bool) -> tuple[SeverityRow, ...]:
    """What the signs of the actions mean, worst first."""
    scope = scope_of(marks_steps=marks_steps)
    return tuple(SeverityRow(severity, text) for severity, text in severity_scale(scope))


def finding_rows(report: Report, indices: tuple[int, ...]) -> tuple[FindingRow, ...]:
    return tuple(finding_row(report.findings[at], report) for at in indices)


def _row(report: Report, action: Action, step_us: float, *, adds: bool) -> ActionRow:
    steps = max(len(report.steps), 1)
    finding, *others = (report.findings[at] for at in action.findings)
    saves = saving_view(action.saving, steps)
    then_us = None if action.total_ns is None else max(step_us - us(action.total_ns) / steps, 0.0)
    alone = saves if others or finding.saving is None else saving_view(finding.saving, steps)
    worth_us = saves.ceiling_us if saves.estimate_us is None else saves.estimate_us
    share = min(worth_us / max(step_us, 0.001), 1.0)
    is_joint = bool(others) and action.total_ns is not None
    return ActionRow(
        title=TOGETHER if is_joint else fix_words(finding).action,
        how=HOW_TOGETHER if is_joint else how_to(fix_words(finding)),
        finding=finding_row(finding, report),
        saves=saves,
        others=tuple(finding_row(other, report) for other in others),
        worth=worth_words(saves.estimate_us, saves.ceiling_us, adds=adds),
        bounds=bounds_words(
            saves.floor_us,
            saves.estimate_us,
            saves.ceiling_us,
            alone_us=alone.estimate_us,
            then_us=then_us,
        ),
        is_planned=action.total_ns is not None,
        share=share,
        severity=_severity(finding.severity, saves, share),
    )


def _severity(found: Severity, saves: SavingView, share: float) -> Severity:
    """By the estimate; a ceiling that those above have lowered is no worse than what it leaves."""
    by_share = severity_of_share(share)
    return by_share if saves.estimate_us is not None else max(found, by_share, key=SEVERITIES.index)
