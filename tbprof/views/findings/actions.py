"""What to change, over all causes in one order: the change that is worth most comes first.

A change is worth its estimate. Where no replay can judge it, a wait is worth its floor, for a wait is not a
cost, and all else its ceiling, but no more than its severity says, since a finding whose cause lies with
another one is graded down. The waits of the fix plan keep the plan's order, for what a row adds holds only
after those above it, and no other action is said to save more than those leave. What the first sentence is
about leads where nothing is worth more than twice as much.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from tbprof.model import MEDIUM_SHARE, Finding, PlanRow, Report, Saving
from tbprof.records import dataclass
from tbprof.views.base.steady import mean_step_us
from tbprof.views.findings.weighed_actions import Action, WeighedAction, in_order

_LEAST_SHARE = 0.001
"""Of the steps: what is worth less is no action; below `MEDIUM_SHARE` it is none beside a larger one."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """Every finding is in one of these, but those whose waits the plan has in rows of their own."""

    actions: tuple[Action, ...]
    """Most worth first."""
    smaller: tuple[Action, ...]
    """Rows of the fix plan that are too small for an action; what they find is in `leave`."""
    unknown: tuple[int, ...]
    """Indices of findings of which nobody can say what they are worth, as they come in the report."""
    leave: tuple[int, ...]
    """Of those that are real and not worth a change."""


def rank(report: Report) -> Ranked:
    """The findings of a report as actions, and what is left."""
    room_ns = max((mean_step_us(report) or 0.0) * 1000 * len(report.steps), 1.0)
    planned = _planned(report, MEDIUM_SHARE * room_ns)
    rows = {at for action in planned for at in action.findings}
    held = {site for at in rows for site in report.findings[at].sites}
    others = [at for at in range(len(report.findings)) if at not in rows]
    unknown = tuple(at for at in others if report.findings[at].saving is None)
    minor = [at for at in others if _is_minor(report.findings[at])]
    open_ = [
        at for at in others if at not in {*unknown, *minor} and not _is_in_plan(report.findings[at], held)
    ]
    actions = in_order(report, planned, list(_alone(report, open_)), room_ns)
    shown = () if _happens_once(report) else _worth_a_change(actions, room_ns)
    left = {at for action, _ in actions if action not in shown for at in action.findings}
    smaller = tuple(action for action in planned if action not in shown)
    return Ranked(shown, smaller, unknown, tuple(sorted({*minor, *left})))


def _happens_once(report: Report) -> bool:
    """Whether the window records a graph: nothing in it comes again."""
    return report.verdict is not None and report.verdict.case == "capture"


def added_savings(report: Report) -> tuple[Saving, ...]:
    """For each row of the fix plan what it adds to those above it, in the window."""
    before_ns = (0, *(row.total_ns for row in report.fix_plan))
    return tuple(
        _added(row, report.findings[row.finding].saving, before)
        for row, before in zip(report.fix_plan, before_ns, strict=False)
    )


def _added(row: PlanRow, alone: Saving | None, before_ns: int) -> Saving:
    """Given the rows above: at most what the ceiling leaves above their total."""
    floor_ns = 0 if alone is None else min(alone.floor_ns, row.adds_ns)
    return Saving(floor_ns, row.adds_ns, max(row.ceiling_ns - before_ns, row.adds_ns))


def _planned(report: Report, least_ns: float) -> list[Action]:
    """The rows of the plan; one that is worth nothing by itself goes with the one that it uncovers."""
    planned: list[Action] = []
    hidden: list[Action] = []
    for row, saving in zip(report.fix_plan, added_savings(report), strict=True):
        hidden.append(Action((row.finding,), saving, row.total_ns))
        if row.adds_ns >= least_ns:
            planned.append(_together(hidden, report.window_ns))
            hidden = []
    return [*planned, *hidden]


def _together(rows: list[Action], window_ns: int) -> Action:
    findings = tuple(at for row in rows for at in row.findings)
    return Action(findings, together([row.saving for row in rows], window_ns), rows[-1].total_ns)


def _is_minor(finding: Finding) -> bool:
    return finding.severity == "info" and finding.saving is not None


def _is_in_plan(finding: Finding, held: Set[int]) -> bool:
    """Whether all its waits go with those of the plan: it would be told twice."""
    return bool(finding.sites) and finding.removal in ("drop", "defer") and set(finding.sites) <= held


def _alone(report: Report, indices: list[int]) -> Iterator[Action]:
    """One for each finding about sites, and one for what a rule found in all places that are no sites."""
    groups: dict[tuple[str, int], list[int]] = {}
    for at in indices:
        finding = report.findings[at]
        groups.setdefault((finding.rule, at if finding.sites else -1), []).append(at)
    for found in groups.values():
        savings = [saving for at in found if (saving := report.findings[at].saving) is not None]
        yield Action(tuple(found), together(savings, report.window_ns), None)


def together(savings: Sequence[Saving], window_ns: int) -> Saving:
    """Of places of one rule, or of what each row of the plan adds, in a window of this length."""
    estimates = [saving.estimate_ns for saving in savings if saving.estimate_ns is not None]
    found = Saving(
        floor_ns=sum(saving.floor_ns for saving in savings),
        estimate_ns=sum(estimates) if len(estimates) == len(savings) else None,
        ceiling_ns=sum(saving.ceiling_ns for saving in savings),
    )
    return found.at_most(window_ns)


def _worth_a_change(actions: list[WeighedAction], room_ns: float) -> tuple[Action, ...]:
    """Those above the share, and the rows of the plan that others of it rest on."""
    most = max((weight for _, weight in actions), default=0.0)
    least = (MEDIUM_SHARE if most >= MEDIUM_SHARE * room_ns else _LEAST_SHARE) * room_ns
    worth = [weight >= least for _, weight in actions]
    planned = [at for at, (action, _) in enumerate(actions) if action.total_ns is not None and worth[at]]
    last = max(planned, default=-1)
    return tuple(
        action
        for at, (action, _) in enumerate(actions)
        if worth[at] or (action.total_ns is not None and at < last)
    )
