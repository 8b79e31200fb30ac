"""A report to the records of its communication."""

from __future__ import annotations

from tbprof.model import Communication, Report
from tbprof.texts.figures.scopes import scope_of
from tbprof.texts.screens.communication import (
    communication_sentence,
    not_recorded_sentence,
    overlapped_sentence,
)
from tbprof.views.base.rows import row_of
from tbprof.views.base.steady import marks_steps
from tbprof.views.base.times import optional_us, us
from tbprof.views.communication.communication import CollectiveRow, CommunicationView, PeerRow

_COLUMNS = (("group", "group"), ("dtype", "type"), ("bytes_in", "size"), ("bus_gb_s", "bus bandwidth"))


def communication_view(report: Report) -> CommunicationView | None:
    """None where nothing was said to another rank, or a version that kept less made the report."""
    communication = report.communication
    if communication is None or not communication.collectives:
        return None
    scope = scope_of(marks_steps=marks_steps(report)).name
    exposed_us, overlapped_us = _of_step(report, communication)
    step_us = us(sum(step.length_ns for step in report.steps)) / max(len(report.steps), 1)
    missing = [
        name
        for field, name in _COLUMNS
        if any(getattr(one, field) is None for one in communication.collectives)
    ]
    on_device = any(one.on == "device" for one in communication.collectives)
    return CommunicationView(
        sentence=communication_sentence(exposed_us if on_device else None, step_us, scope),
        detail=overlapped_sentence(overlapped_us or 0.0, scope),
        not_recorded=not_recorded_sentence(missing),
        exposed_us=exposed_us,
        overlapped_us=overlapped_us,
        rows=tuple(row_of(CollectiveRow, one) for one in communication.collectives),
        peers=tuple(row_of(PeerRow, one) for one in communication.peers),
    )


def _of_step(report: Report, communication: Communication) -> tuple[float | None, float | None]:
    devices = 0 if report.idle is None else len(report.idle.by_device)
    parts = max(len(report.steps) * devices, 1)
    exposed, overlapped = optional_us(communication.exposed_ns), optional_us(communication.overlapped_ns)
    if exposed is None or overlapped is None:
        return None, None
    return exposed / parts, overlapped / parts
