"""The ranked actions as the rows of a screen."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.judge.actions import is_one_change
from tbprof.judge.room import together
from tbprof.judge.steady_steps import marks_steps, typical_window_ns
from tbprof.judge.worth import line_worth
from tbprof.model import Action, Finding, Ranked, Report, Way, severity_of_share
from tbprof.records import dataclass
from tbprof.texts.actions import (
    HOW_TOGETHER,
    TOGETHER,
    bounds_words,
    how_to,
    smaller_sentence,
    then_words,
    way_words,
    worth_words,
)
from tbprof.texts.figures.places import scope_of
from tbprof.texts.figures.quantities import duration
from tbprof.texts.finding_notes import severity_scale
from tbprof.texts.rule_pages import fix_words
from tbprof.views.findings import FindingRow, SavingView, finding_row, places_of, saving_view
from tbprof.views.overview import ActionRow, CauseRow, DeviceBar, SeverityRow, WayRow
from tbprof.views.steady import us


def action_rows(report: Report, ranked: Ranked, step_us: float) -> tuple[ActionRow, ...]:
    """The actions in their order, in us of a step of `step_us`."""
    first = next((action for action in ranked.actions if action.total_ns is not None), None)
    rows = []
    then = _Then(step_us)
    for action in ranked.actions:
        saves = saving_view(action.saving, max(len(report.steps), 1))
        then = then.after(saves)
        adds = action.total_ns is not None and action is not first
        rows.append(_row(report, action, saves, step_us, then, adds=adds))
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class _Then:
    """How long a step takes after the rows so far; at most so long, where one of them has no estimate."""

    left_us: float
    is_most: bool = False

    def after(self, saves: SavingView) -> _Then:
        if saves.estimate_us is None:
            return _Then(self.left_us, is_most=True)
        return _Then(max(self.left_us - saves.estimate_us, 0.0), self.is_most)


def smaller_actions(report: Report, ranked: Ranked, step_us: float) -> str:
    """Beside the rows of the plan that are shown: without one, no figure rests on these."""
    if not ranked.smaller or all(action.total_ns is None for action in ranked.actions):
        return ""
    steps = max(len(report.steps), 1)
    then = _Then(step_us)
    for action in (*ranked.actions, *ranked.smaller):
        then = then.after(saving_view(action.saving, steps))
    added_us = sum(us(action.saving.estimate_ns or 0) for action in ranked.smaller) / steps
    scope = scope_of(marks_steps=marks_steps(report))
    return smaller_sentence(
        len(ranked.smaller), scope, added_us=added_us, then_us=then.left_us, is_most=then.is_most
    )


def severity_rows(*, marks_steps: bool) -> tuple[SeverityRow, ...]:
    """What the signs of the actions mean, worst first."""
    scope = scope_of(marks_steps=marks_steps)
    return tuple(SeverityRow(severity, text) for severity, text in severity_scale(scope))


def finding_rows(report: Report, indices: tuple[int, ...]) -> tuple[FindingRow, ...]:
    return tuple(finding_row(report.findings[at], report) for at in indices)


def _row(
    report: Report, action: Action, saves: SavingView, step_us: float, then: _Then, *, adds: bool
) -> ActionRow:
    finding, *others = (report.findings[at] for at in action.findings)
    share = min(saves.amount_us / max(step_us, 0.001), 1.0)
    is_joint = bool(others) and action.total_ns is not None and not is_one_change(report, action)
    title, how = _order(finding, is_joint=is_joint)
    return ActionRow(
        title=title,
        how=how,
        finding=finding_row(finding, report),
        saves=saves,
        others=tuple(finding_row(other, report) for other in others),
        worth=worth_words(saves.estimate_us, saves.ceiling_us, adds=adds),
        bounds=bounds_words(
            saves.floor_us,
            saves.estimate_us,
            saves.ceiling_us,
            alone_us=_alone_us(report, action, saves),
            then="" if saves.estimate_us is None else then_words(then.left_us, is_most=then.is_most),
        ),
        is_planned=action.total_ns is not None,
        share=share,
        severity=severity_of_share(share),
        ways=tuple(_way(report, way) for way in action.ways),
    )


def _order(finding: Finding, *, is_joint: bool) -> tuple[str, str]:
    """What to do, and how; `is_joint`: waits that hide one another."""
    if is_joint:
        return TOGETHER, HOW_TOGETHER
    return fix_words(finding).action, how_to(fix_words(finding))


def _alone_us(report: Report, action: Action, saves: SavingView) -> float:
    """What it saves without the others: several places of one rule are one change, each with its own part."""
    found = [line_worth(report, report.findings[at]).alone for at in action.findings]
    known = [saving for saving in found if saving is not None]
    if not known or (action.total_ns is not None and len(found) > 1):
        return saves.amount_us
    return saving_view(together(known, typical_window_ns(report)), max(len(report.steps), 1)).amount_us


def _way(report: Report, way: Way) -> WayRow:
    found = [report.findings[at] for at in way.findings]
    rows = tuple(finding_row(one, report) for one in found)
    saves = saving_view(way.saving, max(len(report.steps), 1))
    is_joint = len({one.rule for one in found}) > 1
    title, _ = _order(found[0], is_joint=is_joint)
    text = way_words(
        title, places_of(report, rows), estimate_us=saves.estimate_us, ceiling_us=saves.ceiling_us
    )
    return WayRow(text, rows, saves)


_BUSY_SHARE = 0.9
"""The share from which the device itself is the limit."""


def next_limit(device: DeviceBar | None, causes: Sequence[CauseRow], saved_us: float | None) -> str:
    """A sentence; "" where nothing is planned, or no device was recorded.

    What the plan saves is taken from the idle after sync points first, then from the largest other
    cause: a wait that drains the queue exposes the idle of the others.

    Args:
        device: Means of a step.
        causes: Idle of a step by cause.
        saved_us: The plan's estimate, of a step.
    """
    if device is None or not saved_us:
        return ""
    left = _left(causes, saved_us)
    busy_us = device.computing_us + device.communication_us + device.copying_us
    step_us = busy_us + sum(left.values())
    if busy_us >= _BUSY_SHARE * step_us or not left:
        return limit_sentence("device", busy_us, step_us)
    cause = max(left, key=lambda name: left[name])
    return limit_sentence(cause, left[cause], step_us)


def _left(causes: Sequence[CauseRow], saved_us: float) -> dict[str, float]:
    left = {}
    for row in sorted(causes, key=lambda row: (row.cause != "sync", -row.idle_us)):
        taken = min(row.idle_us, saved_us)
        saved_us -= taken
        left[row.cause] = row.idle_us - taken
    return left


_LIMITS = {
    "sync": "the waits that can't simply go are the limit",
    "data": "the data loader is the limit (DAT01, DAT02)",
    "launch": "the host is the limit: it launches the GPU's work late (LCH01 to LCH03)",
    "queued": "work that was queued is the limit: another process, another rank or unrecorded work",
    "loading": "loading kernels and libraries for the first time is the limit (TRC01)",
    "garbage_collection": "garbage collection is the limit (LCH09)",
    "staging": "copying pageable memory is the limit (CPY01)",
    "allocator": "allocating memory is the limit (MEM01, MEM02)",
    "collective": "a collective of the hosts is the limit: another rank, or the network",
    "another_device": "waiting for another GPU of the process is the limit",
    "compile": "compiling is the limit",
    "profiler": "the profiler is the limit",
    "unrecorded": "waiting for something unrecorded is the limit",
    "unknown": "a cause that is not known is the limit",
}


def limit_sentence(cause: str, limiting_us: float, step_us: float) -> str:
    """`cause` is one of idle, or `device`: of a step it is idle, or works, for `limiting_us`."""
    of_step = f"{duration(limiting_us)} of {duration(step_us)}"
    if cause == "device":
        return f"Then the GPU is the limit: it works {of_step}."
    limit = _LIMITS.get(cause, f"{cause.replace('_', ' ')} is the limit")
    return f"Then {limit}; the GPU is idle for it {of_step}."
