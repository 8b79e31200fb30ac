"""The overview of a window: what to change first, and where the GPU's time goes."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.judge.actions import ranked_actions
from tbprof.judge.steady_steps import marks_steps, mean_step_us, steady_steps
from tbprof.model import BOUND_SHARE, CodeShare, HookFacts, Report, Savings
from tbprof.texts.figures.computing import computing_sentence, gpu_use_rows
from tbprof.texts.trust import VARIES
from tbprof.views.action_rows import (
    action_rows,
    finding_rows,
    next_limit,
    severity_rows,
    smaller_actions,
)
from tbprof.views.findings import SavingView, saving_view
from tbprof.views.idle_causes import cause_rows, device_bar, host_bar, step_stack
from tbprof.views.opening import records_first
from tbprof.views.overview import ActionRow, CodeRow, GpuUseRow, OverviewView
from tbprof.views.steady import us
from tbprof.views.trust import trust_rows


def overview_view(report: Report) -> OverviewView:
    """Everything that the Overview shows of one window."""
    steady = steady_steps(report)
    step_us = mean_step_us(report)
    devices = 0 if report.idle is None else len(report.idle.by_device)
    causes = () if report.idle is None else cause_rows(report, report.idle)
    device = device_bar(report)
    ranked = ranked_actions(report)
    actions = action_rows(report, ranked, step_us or 0.0)
    another = records_first(report, actions)
    headline = None if not actions or another else actions[0].saves
    return OverviewView(
        nothing_to_fix=_nothing_to_fix(report),
        steady_steps=len(steady),
        step_us=step_us,
        unprofiled_step_us=_unprofiled_us(report.facts),
        headline=headline,
        records_first=another,
        speedup=None if headline is None else _speedup(step_us, headline),
        device=device,
        host=host_bar(report),
        causes=causes,
        saving=_saving(report),
        actions=actions,
        smaller=smaller_actions(report, ranked, step_us or 0.0),
        severities=severity_rows(marks_steps=marks_steps(report)),
        next_limit=next_limit(device, causes, _planned_us(report)) if _begins_with_plan(actions) else "",
        unknown=finding_rows(report, ranked.unknown),
        leave=finding_rows(report, ranked.leave),
        stacks=tuple(step_stack(step, causes, max(devices, 1)) for step in report.steps),
        trust=trust_rows(report, records_first=another),
        computing="" if report.computing is None else computing_sentence(report.computing),
        gpu_use=tuple(GpuUseRow(*row) for row in gpu_use_rows(report.gpu_use)),
        gpu_use_scope=_use_scope(report),
        code=_code(report, devices),
    )


def _use_scope(report: Report) -> str:
    if not marks_steps(report) or not report.gpu_use:
        return "the whole recording"
    of, whole = report.gpu_use[0].steps, len(report.steps)
    return "all steps" if of == whole else f"the first {of:,} of {whole:,} steps; the last one was cut off"


def _begins_with_plan(actions: Sequence[ActionRow]) -> bool:
    """Where another action comes first, the limit after the plan would be read as its result."""
    return bool(actions) and actions[0].is_planned


def _nothing_to_fix(report: Report) -> bool:
    if report.idle is None or any(finding.severity != "info" for finding in report.findings):
        return False
    return report.idle.total.device_ns < BOUND_SHARE * report.devices_ns and not _is_exposed(report)


def _is_exposed(report: Report) -> bool:
    """Whether the device communicates or copies for long with nothing computed beside it."""
    device = device_bar(report)
    step_us = mean_step_us(report) or 0.0
    return device is not None and device.communication_us + device.copying_us > BOUND_SHARE * step_us


def _saving(report: Report) -> SavingView | None:
    savings: Savings | None = report.savings
    return None if savings is None else saving_view(savings, max(len(report.steps), 1))


def _planned_us(report: Report) -> float | None:
    """What the whole plan saves of a step."""
    if not report.fix_plan:
        return None
    return us(report.fix_plan[-1].total_ns) / max(len(report.steps), 1)


def _unprofiled_us(facts: HookFacts | None) -> float | None:
    """None where steps vary too much to compare those that were recorded with the others."""
    if facts is None or facts.unprofiled_step_ns is None:
        return None
    recorded_ns = facts.profiled_step_ns
    is_comparable = recorded_ns is None or recorded_ns >= VARIES * facts.unprofiled_step_ns
    return us(facts.unprofiled_step_ns) if is_comparable else None


def _speedup(step_us: float | None, saving: SavingView) -> float | None:
    if step_us is None or saving.estimate_us is None or saving.estimate_us >= step_us:
        return None
    return step_us / (step_us - saving.estimate_us)


def _code(report: Report, devices: int) -> tuple[CodeRow, ...]:
    total_ns = report.window_ns * devices
    idle_ns = 0 if report.idle is None else report.idle.total.device_ns
    return tuple(_code_row(share, len(report.steps), max(total_ns - idle_ns, 1)) for share in report.code)


def _code_row(share: CodeShare, steps: int, busy_ns: int) -> CodeRow:
    return CodeRow(
        kind=share.kind,
        name=share.name,
        host_us=us(share.host_ns) / max(steps, 1),
        device_us=us(share.device_ns) / max(steps, 1),
        share_of_device=min(share.device_ns / busy_ns, 1.0),
        launches=share.launches / max(steps, 1),
        count=share.count,
    )
