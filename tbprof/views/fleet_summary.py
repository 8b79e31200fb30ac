"""A window in the few figures that its run's row is made of, small enough to keep those of thousands."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from tbprof.judge.actions import answers, ranked_actions
from tbprof.judge.steady_steps import mean_step_us, steady_steps
from tbprof.model import Finding, Report
from tbprof.records import dataclass
from tbprof.texts.figures.places import site_where
from tbprof.views.action_rows import action_rows
from tbprof.views.findings import PredictedRow, places_of, predicted_rows
from tbprof.views.idle_causes import stacking_place
from tbprof.views.opening import lines_come_first, recording_first
from tbprof.views.overview import ActionRow

_MOST_LINES = 5
"""A search finds a run by those that are worth most."""

_MOST_WAITS = 64
_MOST_KERNELS = 16
_LONGEST_NAME = 120
"""Letters of a name that others gave: a summary stays small."""

_LACKING = ("cut_off", "lost_kernels", "only_allocations")
"""Cases of the verdict in which work of a device is missing from the file."""


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """Something to change, most worth first; before that, what to record where the window is not typical."""

    rule: str
    """"" of what is to be recorded."""
    action: str
    """In the imperative; may hold `code`."""
    place: str
    """`train.py:88`, or what the finding is about; "" for the whole window."""
    share: float
    """The share of a step that it costs, 0 to 1: the estimate, else the ceiling; 0 for a line without a
    GPU."""
    is_estimate: bool
    site: int | None
    """Index of the window's site, to open it."""


@dataclass(frozen=True, slots=True)
class SummaryWait:
    """A wait that a rule found, or that a line without a GPU would cause.

    The same one in another recording has the same fingerprint.
    """

    fingerprint: str
    rule: str
    place: str


@dataclass(frozen=True, slots=True)
class WindowSummary:
    """Shares are of the steps that are not cold, over all devices, 0 to 1; None is not recorded."""

    rank: int | None
    world_size: int | None
    is_damaged: bool
    """Whether only a part of the trace could be read."""
    lacks_device_work: bool
    """Whether much of a device's work, or all of it, is missing from the file."""
    devices: tuple[str, ...]
    span_ns: int
    step_us: float | None
    busy: float | None
    """Computing."""
    communication: float | None
    """With nothing computed beside it."""
    copying: float | None
    idle: Mapping[str, float]
    """The idle by cause, in the order in which causes are stacked."""
    commit: str | None
    lines: tuple[SummaryLine, ...]
    waits: tuple[SummaryWait, ...]
    kernels: tuple[str, ...]
    """Names of kernels that ran beside waits."""


SUMMARY_FORM = tuple(
    f"{record.__name__}.{field.name}"
    for record in (WindowSummary, SummaryLine, SummaryWait)
    for field in dataclasses.fields(record)
)
"""Changes with what a summary holds: what another version kept is of no use."""


def summary_of(report: Report) -> WindowSummary:
    """What a row needs of a whole report."""
    steady = steady_steps(report)
    devices = _working(report)
    devices_ns = sum(step.length_ns for step in steady) * len(devices)
    step_us = mean_step_us(report)
    causes = sorted({cause for step in steady for cause in step.idle_by_cause}, key=stacking_place)

    def share(parts: list[int | None]) -> float | None:
        known = [part for part in parts if part is not None]
        return sum(known) / devices_ns if known and devices_ns > 0 else None

    idle = {cause: share([step.idle_by_cause.get(cause, 0) for step in steady]) for cause in causes}
    return WindowSummary(
        rank=report.trace.rank,
        world_size=report.trace.world_size,
        is_damaged=report.trace.is_damaged,
        lacks_device_work=report.verdict is not None and report.verdict.case in _LACKING,
        devices=tuple(_short(name) for name in devices),
        span_ns=report.trace.span_ns,
        step_us=step_us,
        busy=share([step.computing_ns for step in steady]),
        communication=share([step.communication_exposed_ns for step in steady]),
        copying=share([step.copying_ns for step in steady]),
        idle={cause: part for cause, part in idle.items() if part},
        commit=None if report.facts is None else report.facts.git_commit,
        lines=_lines(report, step_us)[:_MOST_LINES],
        waits=_waits(report),
        kernels=_kernels(report),
    )


def _working(report: Report) -> tuple[str, ...]:
    """Devices whose work was recorded: of allocations alone nobody knows how busy one was."""
    only_allocations = report.verdict is not None and report.verdict.case == "only_allocations"
    return () if only_allocations else report.trace.devices


def document_of(summary: WindowSummary) -> dict[str, Any]:
    """The summary as JSON has it."""
    return dataclasses.asdict(summary)


def summary_of_document(document: Mapping[str, Any]) -> WindowSummary:
    """The summary that `document_of` wrote.

    Raises:
        TypeError: Another version wrote it.
        KeyError: Likewise.
    """
    return WindowSummary(
        **{
            **document,
            "devices": tuple(document["devices"]),
            "lines": tuple(SummaryLine(**line) for line in document["lines"]),
            "waits": tuple(SummaryWait(**wait) for wait in document["waits"]),
            "kernels": tuple(document["kernels"]),
        }
    )


def _lines(report: Report, step_us: float | None) -> tuple[SummaryLine, ...]:
    """In the order of the window's own page."""
    actions = action_rows(report, ranked_actions(report), step_us or 0.0)
    found = tuple(_line(report, row) for row in actions)
    predicted = tuple(map(_predicted_line, predicted_rows(report)))
    lines = (*predicted, *found) if lines_come_first(report, actions) else (*found, *predicted)
    if not (recording := recording_first(report, actions)):
        return lines
    return (SummaryLine("", recording, "", share=0.0, is_estimate=False, site=None), *lines)


def _predicted_line(row: PredictedRow) -> SummaryLine:
    place = _short(f"{row.file}:{row.line}")
    return SummaryLine(row.rule, row.action, place, share=0.0, is_estimate=False, site=None)


def _line(report: Report, row: ActionRow) -> SummaryLine:
    sites = row.finding.sites
    return SummaryLine(
        rule=row.finding.rule,
        action=row.title,
        place=_short(places_of(report, (row.finding, *row.others))),
        share=row.share,
        is_estimate=row.saves.estimate_us is not None,
        site=sites[0] if sites else None,
    )


def _waits(report: Report) -> tuple[SummaryWait, ...]:
    found = [f for f in report.findings if answers(f.rule, "waits") and f.severity != "info"]
    predicted = (
        SummaryWait(row.fingerprint, row.rule, _short(f"{row.file}:{row.line}"))
        for row in predicted_rows(report)
        if answers(row.rule, "waits")
    )
    return (*(_wait(report, finding) for finding in found), *predicted)[:_MOST_WAITS]


def _wait(report: Report, finding: Finding) -> SummaryWait:
    where = site_where(report.sites[finding.sites[0]]) if finding.sites else ""
    return SummaryWait(finding.fingerprint, finding.rule, _short(where))


def _kernels(report: Report) -> tuple[str, ...]:
    spans = (span for site in report.sites if site.instance for span in site.instance.device)
    named = (span.name for span in spans if span.kind in ("kernel", "communication") and span.name)
    return tuple(dict.fromkeys(map(_short, named)))[:_MOST_KERNELS]


def _short(name: str) -> str:
    """Names differ at their ends: paths lose their beginning."""
    return name if len(name) <= _LONGEST_NAME else f"…{name[1 - _LONGEST_NAME :]}"
