"""Traces with what the trainer hook knows beside them."""

from __future__ import annotations

import dataclasses
from typing import Any

from trace_builder import TraceBuilder

from tbprof.model import Audit, Construction, Finding, HookFacts, RecordedCall, Report
from tbprof.report import report_of


def hook_facts(**known: Any) -> HookFacts:
    """Facts of a window of which only this is known."""
    nothing: dict[str, Any] = {
        field.name: None
        for field in dataclasses.fields(HookFacts)
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    }
    said = {"schema": 1, "tbprof_version": "0", "torch_version": "2.9.0", "worker": "w", "options": {}}
    counted = {"device_names": ("GPU",), "window": 0, "first_step": 1, "recorded_steps": 2}
    return HookFacts(**{**nothing, **said, **counted, **known})


def recorded(line: int, call: str, devices: tuple[str, ...], **other: Any) -> RecordedCall:
    """A call at a line of `step` in train.py."""
    facts = {"file": "train.py", "function": "step", "pinned": None, "non_blocking": None, "count": 1}
    return RecordedCall(**{**facts, "line": line, "call": call, "devices": devices, **other})


def the_audit(*calls: RecordedCall, constructions: tuple[Construction, ...] = (), **other: Any) -> Audit:
    """An audit step that made these calls, each once and in this order."""
    order = tuple(range(len(calls)))
    return Audit("", calls, order, dropped=0, sources=(), constructions=constructions, **other)


def report_with(facts: HookFacts, built: TraceBuilder) -> Report:
    return report_of(dataclasses.replace(built.trace(), facts=facts))


def found_with(audit: Audit, built: TraceBuilder, *codes: str) -> list[Finding]:
    """The findings of these rules where the hook saw this."""
    report = report_with(hook_facts(audit=audit), built)
    assert report.failed_rules == ()
    return [finding for finding in report.findings if finding.rule in codes]
