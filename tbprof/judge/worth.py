"""What each line saves: one figure, wherever it is shown, and what that rests on."""

from __future__ import annotations

from tbprof.judge.actions import added_savings, ranked_actions
from tbprof.model import Finding, FindingIndex, Report, Saving
from tbprof.records import dataclass


@dataclass(frozen=True, slots=True)
class LineWorth:
    """In the window."""

    saving: Saving | None
    """A row of the fix plan has what it adds to those above it, another action what those above it leave;
    else it is what it saves alone."""
    alone: Saving | None
    after: tuple[int, ...] = ()
    """The numbers of the actions whose waits have to go first."""
    within: int | None = None
    """The number of its own action, where several lines are one."""
    instead: int | None = None
    """The number of the action whose time it wins back in another way."""


def line_worth(report: Report, finding: Finding) -> LineWorth:
    """The one figure of a finding.

    Args:
        report: Of the window.
        finding: One of the report's own.
    """
    at = FindingIndex(next(at for at, one in enumerate(report.findings) if one is finding))
    added, saving = _added(report, at), finding.saving
    own, instead, within = None, None, None
    for number, action in enumerate(ranked_actions(report).actions, start=1):
        way = next((way for way in action.ways if at in way.findings), None)
        if way is None and at not in action.findings:
            continue
        own, instead = number, None if way is None else number
        change = action if way is None else way
        within = number if len(change.findings) > 1 else None
        saving = saving if within else change.saving
        break
    if within or own is None:
        saving = added or saving
    after = () if added is None else _after(report, at, own)
    # The first row of a plan rests on none; its replay hides less than the finding's own.
    alone = saving if added is not None and not after else finding.saving
    return LineWorth(saving, alone, after, within, instead)


def _added(report: Report, at: FindingIndex) -> Saving | None:
    rows = zip(report.fix_plan, added_savings(report), strict=True)
    return next((saving for row, saving in rows if row.finding == at), None)


def _after(report: Report, at: FindingIndex, own: int | None) -> tuple[int, ...]:
    """The actions that hold the rows of the plan above it."""
    plan = [one.finding for one in report.fix_plan]
    above = set(plan[: plan.index(at)])
    holding = [
        number
        for number, action in enumerate(ranked_actions(report).actions, start=1)
        if above & {*action.findings, *(one for way in action.ways for one in way.findings)}
    ]
    return tuple(number for number in holding if own is None or number <= own)
