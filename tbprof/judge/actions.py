"""What to change, over all causes in one order: the change that is worth most comes first.

A change is worth its estimate. Where no replay can judge it, a wait is worth its floor, for a wait is not a
cost, and all else its ceiling, but no more than its severity says, since a finding whose cause lies with
another one is graded down. The waits of the fix plan keep the plan's order, for what a row adds holds only
after those above it, and no other action is said to save more than those leave. What the first sentence is
about leads where nothing is worth more than twice as much, or could win more at all, and nothing is
estimated to win all that it could.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterator, Set
from typing import TypeAlias

from tbprof.judge.room import effect_of, host_limit_ns, together, without_overlap
from tbprof.judge.steady_steps import typical_window_ns
from tbprof.model import (
    CRITICAL_SHARE,
    HIGH_SHARE,
    MEDIUM_SHARE,
    REPLAYED,
    SEVERITIES,
    Action,
    Finding,
    FindingIndex,
    PlanRow,
    Ranked,
    Report,
    Saving,
    Severity,
)
from tbprof.rules.declared import is_part, rule_of

_LEAST_SHARE = 0.001
"""The share of the steps below which nothing is an action; below `MEDIUM_SHARE` it is none beside a larger
one."""


def ranked_actions(report: Report) -> Ranked:
    """What was decided of the report; a version that kept less left that open."""
    return rank(report) if report.ranked is None else report.ranked


def rank(report: Report) -> Ranked:
    """The findings of a report as actions, and what is left."""
    steps_ns = typical_window_ns(report)
    planned = _planned(report, steps_ns)
    rows = {at for action in planned for at in action.findings}
    held = {site for at in rows for site in report.findings[at].sites}
    others = [
        FindingIndex(at) for at, one in enumerate(report.findings) if at not in rows and not is_part(one)
    ]
    unknown = tuple(at for at in others if report.findings[at].saving is None)
    minor = [at for at in others if _is_minor(report.findings[at])]
    open_ = [
        at for at in others if at not in {*unknown, *minor} and not _is_in_plan(report.findings[at], held)
    ]
    actions = in_order(report, planned, list(_alone(report, open_, steps_ns)), steps_ns)
    worth = () if _happens_once(report) else _worth_a_change(actions, steps_ns)
    smaller = [action for action in planned if action not in worth]
    shown = without_overlap(report, worth, smaller, steps_ns)
    ways = {at for action in shown for way in action.ways for at in way.findings}
    left = {at for action, _ in actions if action not in worth for at in action.findings} - ways
    smaller = [action for action in smaller if ways.isdisjoint(action.findings)]
    return Ranked(shown, tuple(smaller), unknown, tuple(sorted({*minor, *left})))


def all_ceiling_ns(report: Report, ranked: Ranked) -> int:
    """What all findings together can win of the window at most.

    What a device computes stays, as a mean over the devices, but for what changes of its kernels can win.
    """
    rows = (*ranked.actions, *ranked.smaller)
    listed = [(row.findings[0], row.saving) for row in rows]
    listed += [(way.findings[0], way.saving) for row in rows for way in row.ways]
    left = [(at, saving) for at in ranked.leave if (saving := report.findings[at].saving) is not None]
    ceilings = [(report.findings[at], saving.ceiling_ns) for at, saving in (*listed, *left)]
    of_kernels: defaultdict[str, int] = defaultdict(int)
    for finding, ns in ceilings:
        # Rules of one family are ways to win the same time.
        if not _is_about_host(finding):
            of_kernels[finding.rule[:3]] = max(of_kernels[finding.rule[:3]], ns)
    devices = 1 if report.idle is None else max(len(report.idle.by_device), 1)
    computing_ns = 0 if report.computing is None else report.computing.computing_ns // devices
    most_ns = max(report.window_ns - max(computing_ns - sum(of_kernels.values()), 0), 0)
    # Each alone is bound by the window already.
    largest_ns = max((ns for _, ns in ceilings), default=0)
    return min(sum(ns for _, ns in ceilings), max(most_ns, largest_ns))


def _is_about_host(finding: Finding) -> bool:
    """Whether its fix leaves the kernels as they are."""
    return bool(finding.sites) or effect_of(finding.rule) == "earlier_host"


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


def _planned(report: Report, steps_ns: float) -> list[Action]:
    """The rows of the plan; one that is worth nothing by itself goes with the one that it uncovers."""
    planned: list[Action] = []
    hidden: list[Action] = []
    for row, saving in zip(report.fix_plan, added_savings(report), strict=True):
        hidden.append(Action((row.finding,), saving, row.total_ns))
        if row.adds_ns >= MEDIUM_SHARE * steps_ns:
            planned.append(_together(hidden, steps_ns))
            hidden = []
    return _once_each_change(report, [*planned, *hidden], steps_ns)


def _once_each_change(report: Report, planned: list[Action], steps_ns: float) -> list[Action]:
    """The rows of the plan, those that are one change with an earlier one added to it."""
    merged: list[Action] = []
    for action in planned:
        at = next((at for at, one in enumerate(merged) if is_one_change(report, one, action)), None)
        if at is None:
            merged.append(action)
            continue
        adds_ns = action.saving.estimate_ns or 0
        savings = [merged[at].saving, action.saving]
        findings = (*merged[at].findings, *action.findings)
        merged[at] = dataclasses.replace(merged[at], findings=findings, saving=together(savings, steps_ns))
        merged[at:] = [
            dataclasses.replace(one, total_ns=(one.total_ns or 0) + adds_ns) for one in merged[at:]
        ]
    return merged


def is_one_change(report: Report, *actions: Action) -> bool:
    """Whether one edit does all of it: batches are pinned by their loader, and a line is one place."""
    found = [report.findings[at] for action in actions for at in action.findings]
    first = found[0]
    if any((one.rule, one.remedy.fixed_as) != (first.rule, first.remedy.fixed_as) for one in found):
        return False
    rule = rule_of(first.rule)
    if rule is not None and rule.edit == "pin" and not first.remedy.fixed_as:
        return True
    sources = {report.sites[site].source for one in found for site in one.sites}
    return len(sources) == 1 and all(source is not None and source.exact for source in sources)


def _together(rows: list[Action], steps_ns: float) -> Action:
    findings = tuple(at for row in rows for at in row.findings)
    return Action(findings, together([row.saving for row in rows], steps_ns), rows[-1].total_ns)


def _is_minor(finding: Finding) -> bool:
    return finding.severity == "info" and finding.saving is not None


def _is_in_plan(finding: Finding, held: Set[int]) -> bool:
    """Whether all its waits go with those of the plan: it would be named twice."""
    return bool(finding.sites) and finding.removal in REPLAYED and set(finding.sites) <= held


def _alone(report: Report, indices: list[FindingIndex], steps_ns: float) -> Iterator[Action]:
    """One for each finding about sites, and one for what a rule found in all places that are no sites."""
    groups: dict[tuple[str, int], list[FindingIndex]] = {}
    for at in indices:
        finding = report.findings[at]
        groups.setdefault((finding.rule, at if finding.sites else -1), []).append(at)
    for found in groups.values():
        savings = [saving for at in found if (saving := report.findings[at].saving) is not None]
        yield Action(tuple(found), together(savings, steps_ns), None)


def _worth_a_change(actions: list[WeightedAction], steps_ns: float) -> tuple[Action, ...]:
    """The actions above the share, and the rows of the plan that others of it rest on."""
    most = max((weight for _, weight in actions), default=0.0)
    least = (MEDIUM_SHARE if most >= MEDIUM_SHARE * steps_ns else _LEAST_SHARE) * steps_ns
    worth = [weight >= least for _, weight in actions]
    planned = [at for at, (action, _) in enumerate(actions) if action.total_ns is not None and worth[at]]
    last = max(planned, default=-1)
    return tuple(
        action
        for at, (action, _) in enumerate(actions)
        if worth[at] or (action.total_ns is not None and at < last)
    )


_MOST_OF: dict[Severity, float] = {"high": CRITICAL_SHARE, "medium": HIGH_SHARE, "low": MEDIUM_SHARE}
"""The share of the steps at which the next worse severity begins."""

_MEASURED = ("communication", "copying")
"""Cases whose ceiling is what was measured on the device, and no guess about the host."""

_LEADS_FROM = 0.5
"""The share of the worth of any other action."""


WeightedAction: TypeAlias = tuple[Action, float]
"""An action, and by how many ns of the window it is ranked."""


def in_order(
    report: Report, planned: list[Action], alone: list[Action], steps_ns: float
) -> list[WeightedAction]:
    """The rows of the plan in their order, each other action where what it can still save belongs.

    Args:
        report: Of the window.
        planned: Rows of the fix plan.
        alone: All others.
        steps_ns: How long the steps take together.
    """
    ordered: list[WeightedAction] = []
    rows = [(action, _weight(report, action, steps_ns)) for action in planned]
    others = _heaviest_first(report, alone, steps_ns)
    lead = _lead(report, rows, others)
    saved_ns, shortened_ns = 0, 0
    while rows or others:
        weightiest = max((weight for _, weight in rows), default=0.0)
        if lead in others or (lead is None and others and (not rows or weightiest < others[0][1])):
            ordered.append(others.pop(0 if lead is None else others.index(lead)))
            shortens = _makes_kernels_shorter(report, ordered[-1][0])
            shortened_ns += ordered[-1][0].saving.ceiling_ns if shortens else 0
        else:
            ordered.append(rows.pop(0))
            saved_ns = ordered[-1][0].total_ns or 0
        lead = None
        left = [_after(report, action, saved_ns, shortened_ns) for action, _ in others]
        others = _heaviest_first(report, left, steps_ns)
    return ordered


def _lead(report: Report, rows: list[WeightedAction], others: list[WeightedAction]) -> WeightedAction | None:
    """The action that the first sentence is about, where no other is worth more than twice as much.

    An estimate that is no less than all that this one could win at most comes before it.
    """
    case = "" if report.verdict is None else report.verdict.case
    named = rows[:1] if case == "waits" else [pair for pair in others if _is_named(report, pair[0])]
    if not named:
        return None
    worth = sum(weight for _, weight in rows) if case == "waits" else named[0][1]
    most = max(weight for _, weight in [*rows, *others])
    is_sure = named[0][0].saving.estimate_ns is not None
    estimates = [action.saving.estimate_ns or 0 for action, _ in [*rows, *others]]
    # Copies last as long whatever waits for them goes.
    if not is_sure and case != "copying" and max(estimates) >= max(named[0][0].saving.ceiling_ns, 1):
        return None
    ceilings = [action.saving.ceiling_ns for action, _ in [*rows, *others]]
    could_win_most = case != "waits" and named[0][0].saving.ceiling_ns >= max(ceilings)
    return named[0] if could_win_most or worth >= _LEADS_FROM * most else None


def _is_named(report: Report, action: Action) -> bool:
    """Whether the first sentence is about what it finds; that of `waits` is about the fix plan."""
    case = "" if report.verdict is None else report.verdict.case
    return case != "waits" and answers(report.findings[action.findings[0]].rule, case)


def _heaviest_first(report: Report, alone: list[Action], steps_ns: float) -> list[WeightedAction]:
    weighed = [(action, _weight(report, action, steps_ns)) for action in alone]
    return sorted(weighed, key=lambda pair: -pair[1])


def _makes_kernels_shorter(report: Report, action: Action) -> bool:
    return effect_of(report.findings[action.findings[0]].rule) == "shorter_kernels"


def _after(report: Report, action: Action, saved_ns: int, shortened_ns: int) -> Action:
    """At most what is left once the rows of the plan above it, and shorter kernels, have saved so much.

    Shorter kernels win by shorter waits, so that both draw on what the host waited for.
    """
    limit_ns = _limit_ns(report, report.findings[action.findings[0]].rule)
    saving = action.saving
    if _makes_kernels_shorter(report, action):
        saved_ns += shortened_ns
    if limit_ns is None or not saved_ns or saving.ceiling_ns <= limit_ns - saved_ns:
        return action
    return dataclasses.replace(action, saving=saving.at_most(max(limit_ns - saved_ns, 0)))


def answers(code: str, case: str) -> bool:
    """Whether the sentence of this case of the verdict is about what the rule finds."""
    rule = rule_of(code)
    return rule is not None and case in rule.answers


def _limit_ns(report: Report, rule: str) -> int | None:
    """All that findings of this rule could ever win; None where that is not known."""
    effect = effect_of(rule)
    if effect == "shorter_kernels":
        return report.faster_device_ns
    # Fewer kernels win what no wait above them shortens.
    return host_limit_ns(report) if effect == "earlier_host" else None


def _weight(report: Report, action: Action, steps_ns: float) -> float:
    saving = action.saving
    if saving.estimate_ns is not None:
        return saving.estimate_ns
    if saving.floor_ns and any(report.findings[at].sites for at in action.findings):
        return saving.floor_ns
    case = "" if report.verdict is None else report.verdict.case
    if case in _MEASURED and _is_named(report, action):
        return saving.ceiling_ns
    worst = min((report.findings[at].severity for at in action.findings), key=SEVERITIES.index)
    return min(saving.ceiling_ns, _MOST_OF.get(worst, 1.0) * steps_ns)
