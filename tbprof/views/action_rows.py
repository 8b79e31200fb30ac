"""The ranked actions as the rows of a screen."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.judge.actions import is_one_change
from tbprof.judge.steady_steps import marks_steps
from tbprof.model import SEVERITIES, Action, Ranked, Report, Severity, severity_of_share
from tbprof.texts.actions import (
    HOW_TOGETHER,
    TOGETHER,
    bounds_words,
    how_to,
    smaller_sentence,
    worth_words,
)
from tbprof.texts.figures.places import scope_of
from tbprof.texts.figures.quantities import duration
from tbprof.texts.finding_notes import severity_scale
from tbprof.texts.rule_pages import fix_words
from tbprof.views.findings import FindingRow, SavingView, finding_row, saving_view
from tbprof.views.overview import ActionRow, CauseRow, DeviceBar, SeverityRow
from tbprof.views.steady import us


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
    is_joint = bool(others) and action.total_ns is not None and not is_one_change(report, action)
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
    """The severity by the estimate; a ceiling that those above have lowered is no worse than what it
    leaves.
    """
    by_share = severity_of_share(share)
    return by_share if saves.estimate_us is not None else max(found, by_share, key=SEVERITIES.index)


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
