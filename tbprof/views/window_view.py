"""A report to the records of the tab's window screen."""

from __future__ import annotations

from typing import Literal

from tbprof.judge.steady_steps import marks_steps, median_step_us
from tbprof.judge.words import scope_sentence
from tbprof.model import HOST_CALLS, HookFacts, Report, Site, Source, SourceText, code_statement
from tbprof.texts.actions import actions_title
from tbprof.texts.figures.places import site_name, site_where
from tbprof.texts.finding_notes import not_checked_sentence, rule_failed_sentence
from tbprof.texts.health import health_sentence
from tbprof.texts.source import doubt_note
from tbprof.views.communication import communication_view
from tbprof.views.copies import bytes_per_s, copy_rows, non_blocking_of
from tbprof.views.findings import finding_row, predicted_rows, saving_view
from tbprof.views.instances import instance_view
from tbprof.views.opening import lines_come_first, opening_with, records_first
from tbprof.views.overview_view import overview_view
from tbprof.views.steady import row_of, us
from tbprof.views.trust import worst_of
from tbprof.views.window import (
    DeviceIdleRow,
    EnvironmentRow,
    HealthRow,
    IdleView,
    NotCheckedRow,
    SiteRow,
    SourceView,
    StepRow,
    SyncView,
    WindowView,
)


def window_view(report: Report, *, run: str, worker: str, window: str) -> WindowView:
    """Everything that the screen shows of one window."""
    overview = overview_view(report)
    opening = opening_with(report, overview.actions)
    trace = report.trace
    return WindowView(
        run=run,
        worker=worker,
        window=window,
        rank=trace.rank,
        world_size=trace.world_size,
        devices=trace.devices,
        era=trace.era,
        span_us=us(trace.span_ns),
        num_events=trace.num_events,
        state=_state(report),
        verdict=opening.verdict,
        detail=opening.detail,
        scope=scope_sentence(report.verdict),
        first_action=opening.action,
        steps=tuple(row_of(StepRow, step, duration_us=us(step.length_ns)) for step in report.steps),
        marks_steps=marks_steps(report),
        median_step_us=median_step_us(report),
        total_steps_us=us(report.window_ns),
        sync_points=row_of(SyncView, report.sync_points, is_recorded=_records_calls(report)),
        copies=copy_rows(report),
        idle=_idle(report),
        savings=None if report.savings is None else saving_view(report.savings),
        calibrated=report.savings is not None and report.savings.calibrated,
        sites=tuple(_site(report, index) for index in range(len(report.sites))),
        predicted=predicted_rows(report),
        actions_title=actions_title(
            after_lines=lines_come_first(report, overview.actions),
            after_recording=records_first(report, overview.actions),
        ),
        predicted_first=lines_come_first(report, overview.actions),
        health=tuple(HealthRow(fact.code, fact.severity, health_sentence(fact)) for fact in trace.health),
        worst_health=worst_of(overview.trust),
        not_checked=_not_checked(report),
        environment=() if report.facts is None else _environment(report.facts),
        overview=overview,
        communication=communication_view(report),
        records_memory=bool(report.memory),
    )


def _records_calls(report: Report) -> bool:
    return all(row.needs != HOST_CALLS for row in report.not_checked)


def _state(report: Report) -> Literal["findings", "sites", "clean", "no_device"]:
    if report.idle is None:
        return "no_device"
    if report.findings:
        return "findings"
    return "sites" if report.sites else "clean"


def _idle(report: Report) -> IdleView | None:
    if report.idle is None:
        return None
    total = report.idle.total
    devices = tuple(
        DeviceIdleRow(device, one.device_ns / max(report.window_ns, 1))
        for device, one in report.idle.by_device.items()
    )
    share = total.device_ns / max(report.devices_ns, 1)
    return row_of(IdleView, total, share_of_steps=share, by_device=devices)


def _site(report: Report, index: int) -> SiteRow:
    site = report.sites[index]
    mine = (finding for finding in report.findings if index in finding.sites)
    return row_of(
        SiteRow,
        site,
        index=index,
        where=site_where(site),
        what=site_name(site),
        source=None if site.source is None else _source(site.source, report.sources),
        callers=tuple(_source(frame, report.sources) for frame in site.callers),
        share_of_steps=_share(site, report.window_ns),
        bytes_per_s=bytes_per_s(site.bytes, site.device_ns),
        non_blocking=non_blocking_of(site.source, report.recorded_calls),
        findings=tuple(finding_row(finding, report) for finding in mine),
        instance=None
        if site.instance is None
        else instance_view(site.instance, report.steps, is_blocking=site.blocking > 0),
    )


def _share(site: Site, window_ns: int) -> float | None:
    return site.wait_ns / window_ns if site.wait_ns <= window_ns and window_ns else None


def _source(source: Source, texts: tuple[SourceText, ...]) -> SourceView:
    return row_of(SourceView, source, code=code_statement(source, texts), doubt=doubt_note(source))


def _not_checked(report: Report) -> tuple[NotCheckedRow, ...]:
    unmet = (NotCheckedRow(row.rule, not_checked_sentence(row.needs)) for row in report.not_checked)
    failed = (NotCheckedRow(row.rule, rule_failed_sentence(row.error)) for row in report.failed_rules)
    return (*unmet, *failed)


def _environment(facts: HookFacts) -> tuple[EnvironmentRow, ...]:
    rows = {
        "torch": facts.torch_version,
        "CUDA or HIP": facts.cuda_version,
        "driver": facts.driver_version,
        "devices": ", ".join(facts.device_names) or None,
        "commit": facts.git_commit,
        "first step": str(facts.first_step),
        "recorded": ", ".join(name for name, on in facts.options.items() if on) or None,
    }
    known = {name: value for name, value in rows.items() if value is not None}
    switches = {**known, **facts.settings, **facts.environment}
    return tuple(EnvironmentRow(name, value) for name, value in switches.items())
