"""The machine-readable report: the one object of `tbprof report FILE --format json`.

Its keys are the fields of the records of `tbprof.model`, with times in us, rounded once, here: what
ends in `_ns` there ends in `_us`. All keys are there from schema 1 on; null means not computed or
not recorded. Keys may be added, never changed without raising `SCHEMA`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeAlias

from tbprof.judge.actions import ranked_actions
from tbprof.judge.steady_steps import mean_step_us
from tbprof.model import (
    Action,
    Check,
    Communication,
    Finding,
    HealthFact,
    Idle,
    Report,
    Site,
    StoredNumbers,
    Verdict,
    Way,
)
from tbprof.texts.health import health_sentence
from tbprof.views.action_rows import action_rows
from tbprof.views.findings import finding_row, places_of
from tbprof.views.overview import ActionRow, WayRow
from tbprof.views.steady import in_us, us

SCHEMA = 1

Json: TypeAlias = dict[str, Any]

_NS = "_ns"
_BY_CAUSE = "by_cause"
"""Idle by cause is a mapping to ns."""
_RENAMED = {"facts": "hook"}


def report_document(report: Report) -> Json:
    """The object for one window."""
    document = {
        "schema": SCHEMA,
        **_record(report),
        "actions": _actions(report),
    }
    for found, finding in zip(document["findings"], report.findings, strict=True):
        found["worth"] = finding_row(finding, report).worth
    return {_RENAMED.get(key, key): value for key, value in document.items()}


def _actions(report: Report) -> list[Json]:
    ranked = ranked_actions(report)
    rows = action_rows(report, ranked, mean_step_us(report) or 0.0)
    return [_action(report, *both) for both in zip(ranked.actions, rows, strict=True)]


def _action(report: Report, action: Action, row: ActionRow) -> Json:
    """An action of the ranked list: what to do, where, and what it saves of the window after those above it;
    then other ways to win back the same time.
    """
    return {
        "title": row.title,
        "place": places_of(report, (row.finding, *row.others)),
        "worth": row.worth,
        "findings": list(action.findings),
        "planned": action.total_ns is not None,
        "saving": _record(action.saving),
        "ways": [_way(*both) for both in zip(action.ways, row.ways, strict=True)],
    }


def _way(way: Way, row: WayRow) -> Json:
    return {"text": row.text, "findings": list(way.findings), "saving": _record(way.saving)}


def _record(record: Any) -> Json:
    members = {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}
    if isinstance(record, Idle):
        return _idle(record)
    if isinstance(record, Report):
        # Its actions stand there under that name; the rest is for the screens.
        del members["ranked"]
    if isinstance(record, Site):
        # Its drawing is for the tab alone.
        del members["instance"]
    if isinstance(record, Communication):
        # It is for the analysis of the job, which reads the stored reports.
        del members["sequence"]
    if isinstance(record, Finding | Check | Verdict):
        return _members(_by_name(members, record.numbers()))
    if isinstance(record, HealthFact):
        members["message"] = health_sentence(record)
    return _members(members)


def _by_name(members: Json, numbers: StoredNumbers) -> Json:
    """The members with the figures, and what belongs to them, by name."""
    stored = (("numbers", numbers) if name == "figures" else (name, value) for name, value in members.items())
    return {name: value for name, value in stored if name != "remedy"}


def _idle(idle: Idle) -> Json:
    """The sum over the devices stands beside its parts, not below them."""
    beside = {"by_device": idle.by_device, "places": idle.places}
    return {**_record(idle.total), **_members(beside)}


def _members(members: Mapping[str, Any]) -> Json:
    return dict(_member(name, value) for name, value in members.items())


def _member(name: str, value: Any) -> tuple[str, Any]:
    if name.endswith(_NS):
        return f"{name.removesuffix(_NS)}_us", _value(in_us(value))
    if name.endswith(_BY_CAUSE):
        return name, {cause: us(value[cause]) for cause in sorted(value)}
    return name, _value(value)


def _value(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return _record(value)
    if isinstance(value, Mapping):
        # As a stored report has them, so that the text is the same whether it was stored or not.
        return _members({key: value[key] for key in sorted(value)})
    return [_value(item) for item in value] if isinstance(value, tuple) else value
