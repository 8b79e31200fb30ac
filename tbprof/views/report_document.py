"""The machine-readable report: the one object of `tbprof report FILE --format json`.

All keys are there from schema 1 on; null means not computed or not recorded. Keys may be
added, never changed without raising `SCHEMA`. Times are us, rounded once, here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from tbprof.model import (
    DeviceIdle,
    Finding,
    HookFacts,
    Idle,
    Numbers,
    Report,
    Saving,
    Savings,
    Site,
    Source,
    Step,
    SyncTotals,
    TraceSummary,
)
from tbprof.views.sentences import Sentences
from tbprof.views.times import optional_us, us

__all__ = ["SCHEMA", "Json", "report_document", "reports_document"]

SCHEMA = 1

Json: TypeAlias = Mapping[str, object]


def reports_document(reports: tuple[Report, ...], sentences: Sentences) -> Json:
    """The object for a folder."""
    return {"schema": SCHEMA, "reports": [report_document(report, sentences) for report in reports]}


def report_document(report: Report, sentences: Sentences) -> Json:
    """The object for one window; `sentences` gives the health its messages."""
    verdict = report.verdict
    return {
        "schema": SCHEMA,
        "trace": _trace(report.trace, sentences),
        "steps": [_step(step) for step in report.steps],
        "sync_points": _sync_points(report.sync_points),
        "copies": [
            {
                "direction": copy.direction,
                "memory": copy.memory,
                "count": copy.count,
                "bytes": copy.bytes,
                "blocking": copy.blocking,
            }
            for copy in report.copies
        ],
        "sites": [_site(site) for site in report.sites],
        "idle": None if report.idle is None else _idle(report.idle),
        "code": [
            {
                "kind": share.kind,
                "name": share.name,
                "host_us": us(share.host_ns),
                "device_us": us(share.device_ns),
                "launches": share.launches,
            }
            for share in report.code
        ],
        "savings": None if report.savings is None else _savings(report.savings),
        "findings": [_finding(finding) for finding in report.findings],
        "fix_plan": [
            {
                "finding": row.finding,
                "adds_us": us(row.adds_ns),
                "total_us": us(row.total_ns),
                "ceiling_us": us(row.ceiling_ns),
            }
            for row in report.fix_plan
        ],
        "verdict": None if verdict is None else {"case": verdict.case, "numbers": _numbers(verdict.numbers)},
        "not_checked": [{"rule": row.rule, "needs": row.needs} for row in report.not_checked],
        "failed_rules": [{"rule": row.rule, "error": row.error} for row in report.failed_rules],
        "recorded_calls": [
            {
                "file": call.file,
                "line": call.line,
                "function": call.function,
                "call": call.call,
                "count": call.count,
                "devices": list(call.devices),
                "pinned": call.pinned,
                "non_blocking": call.non_blocking,
            }
            for call in report.recorded_calls
        ],
        "hook": None if report.facts is None else _hook(report.facts),
    }


def _trace(trace: TraceSummary, sentences: Sentences) -> Json:
    return {
        "path": trace.path,
        "worker": trace.worker,
        "rank": trace.rank,
        "world_size": trace.world_size,
        "devices": list(trace.devices),
        "era": trace.era,
        "span_us": us(trace.span_ns),
        "num_events": trace.num_events,
        "health": [
            {
                "code": fact.code,
                "severity": fact.severity,
                "message": sentences.health(fact),
                "numbers": _numbers(fact.numbers),
            }
            for fact in trace.health
        ],
    }


def _step(step: Step) -> Json:
    return {
        "name": step.name,
        "start_us": us(step.start_ns),
        "duration_us": us(step.duration_ns),
        "cold": step.cold,
        "sync_points": step.sync_points,
        "wait_us": us(step.wait_ns),
        "device_idle_us": optional_us(step.device_idle_ns),
        "idle_empty_us": optional_us(step.idle_empty_ns),
        "gpu_lag_us": optional_us(step.gpu_lag_ns),
    }


def _sync_points(points: SyncTotals) -> Json:
    return {
        "count": points.count,
        "wait_us": us(points.wait_ns),
        "wait_in_copy_us": us(points.wait_in_copy_ns),
        "wait_in_sync_us": us(points.wait_in_sync_ns),
        "explained_us": us(points.explained_ns),
        "profiler_own_us": [us(ns) for ns in points.profiler_own_ns],
    }


def _site(site: Site) -> Json:
    return {
        "direction": site.direction,
        "memory": site.memory,
        "calls": list(site.calls),
        "ops": list(site.ops),
        "source": None if site.source is None else _source(site.source),
        "label": site.label,
        "module": site.module,
        "count": site.count,
        "blocking": site.blocking,
        "per_step": list(site.per_step),
        "bytes": site.bytes,
        "wait_us": us(site.wait_ns),
        "wait_net_us": us(site.wait_net_ns),
        "explained_us": us(site.explained_ns),
        "starve_us": us(site.starve_ns),
    }


def _source(source: Source) -> Json:
    return {
        "file": source.file,
        "line": source.line,
        "function": source.function,
        "exact": source.exact,
        "candidates": list(source.candidates),
    }


def _idle(idle: Idle) -> Json:
    by_device = {name: _device_idle(part) for name, part in idle.by_device.items()}
    places = [
        {
            "cause": place.cause,
            "idle_us": us(place.idle_ns),
            "place": place.place,
            "site": place.site,
            "drained_by": place.drained_by,
        }
        for place in idle.places
    ]
    return {**_device_idle(idle.total), "by_device": by_device, "places": places}


def _device_idle(idle: DeviceIdle) -> Json:
    return {
        "device_us": us(idle.device_ns),
        "empty_us": us(idle.empty_ns),
        "queued_us": us(idle.queued_ns),
        "by_cause": {cause: us(ns) for cause, ns in idle.by_cause.items()},
    }


def _savings(savings: Savings) -> Json:
    return {
        "floor_us": us(savings.floor_ns),
        "estimate_us": optional_us(savings.estimate_ns),
        "ceiling_us": us(savings.ceiling_ns),
        "calibrated": savings.calibrated,
        "replay_error": savings.replay_error,
    }


def _saving(saving: Saving) -> Json:
    return {
        "floor_us": us(saving.floor_ns),
        "estimate_us": optional_us(saving.estimate_ns),
        "ceiling_us": us(saving.ceiling_ns),
    }


def _finding(finding: Finding) -> Json:
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "sites": list(finding.sites),
        "steps": list(finding.steps),
        "count": finding.count,
        "removal": finding.removal,
        "saving": None if finding.saving is None else _saving(finding.saving),
        "confidence": finding.confidence,
        "evidence": [
            {
                "kind": evidence.kind,
                "start_us": us(evidence.start_ns),
                "duration_us": us(evidence.duration_ns),
                "step": evidence.step,
                "row": evidence.row,
            }
            for evidence in finding.evidence
        ],
        "numbers": _numbers(finding.numbers),
        "fingerprint": finding.fingerprint,
    }


def _numbers(numbers: Numbers) -> Json:
    """Times among the numbers of a fact leave in us, like all others."""
    return {
        f"{name.removesuffix('_ns')}_us" if name.endswith("_ns") else name: us(int(value))
        if name.endswith("_ns")
        else value
        for name, value in numbers.items()
    }


def _hook(facts: HookFacts) -> Json:
    return {
        "tbprof_version": facts.tbprof_version,
        "torch_version": facts.torch_version,
        "cuda_version": facts.cuda_version,
        "driver_version": facts.driver_version,
        "device_names": list(facts.device_names),
        "window": facts.window,
        "first_step": facts.first_step,
        "recorded_steps": facts.recorded_steps,
        "options": dict(facts.options),
        "unprofiled_step_us": optional_us(facts.unprofiled_step_ns),
        "profiled_step_us": optional_us(facts.profiled_step_ns),
    }
