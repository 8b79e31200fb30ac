"""A report to the records of its communication."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.judge.steady_steps import marks_steps
from tbprof.model import Communication, Report
from tbprof.records import dataclass
from tbprof.texts.figures.places import scope_of
from tbprof.texts.figures.quantities import duration, share
from tbprof.views.steady import optional_us, row_of, us

_COLUMNS = (("group", "group"), ("dtype", "type"), ("bytes_in", "size"), ("bus_gb_s", "bus bandwidth"))


def communication_view(report: Report) -> CommunicationView | None:
    """None where nothing was said to another rank, or a version that kept less made the report."""
    communication = report.communication
    if communication is None or not communication.collectives:
        return None
    scope = scope_of(marks_steps=marks_steps(report)).name
    exposed_us, overlapped_us = _of_step(report, communication)
    step_us = us(report.window_ns) / max(len(report.steps), 1)
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


_WORTH_A_WORD = 0.001


def communication_sentence(exposed_us: float | None, step_us: float, scope: str) -> str:
    """The part of a step that nothing covers; None where no device communicates."""
    if exposed_us is None:
        return "Only the hosts communicate: no collective ran on a GPU."
    if exposed_us < _WORTH_A_WORD * step_us:
        return "All communication of the GPU runs beside computing."
    part = share(exposed_us / max(step_us, 0.001))
    return f"{part} of {scope}, {duration(exposed_us)}, is communication that no computing covers."


def overlapped_sentence(overlapped_us: float, scope: str) -> str:
    """What runs beside computing; "" for nothing."""
    if overlapped_us <= 0:
        return ""
    return (
        f"Another {duration(overlapped_us)} of {scope} runs beside computing. Whether it slows that down "
        "only a measurement without it can tell."
    )


def not_recorded_sentence(columns: Sequence[str]) -> str:
    """A sentence on the columns that have gaps; "" for none."""
    if not columns:
        return ""
    return (
        f"Not recorded for all of them: {', '.join(columns)}. Torch records groups and sizes of collectives "
        "since 2.3, and shapes where the profiler was asked for them."
    )


@dataclass(frozen=True, slots=True)
class CollectiveRow:
    """Collectives of one kind, group, type and size, over the whole window; null is not recorded."""

    kind: str
    group: str | None
    """Name of the process group, else its ranks."""
    ranks: str | None
    group_size: int | None
    dtype: str | None
    count: int
    bytes_in: int | None
    """The bytes of all of them, as the next one."""
    bytes_out: int | None
    message_bytes: int | None
    """The larger side of one message; null where they differ, too."""
    total_us: float
    exposed_us: float | None
    """Within the steps, with no computing beside it; null for those of the host."""
    shortest_us: float
    longest_us: float
    transfer_us: float | None
    """Known only with the other ranks, as the next one."""
    arrival_wait_us: float | None
    algorithm_gb_s: float | None
    bus_gb_s: float | None
    on: str
    """`device` or `host`."""


@dataclass(frozen=True, slots=True)
class PeerRow:
    source: int
    destination: int
    count: int
    bytes: int | None


@dataclass(frozen=True, slots=True)
class CommunicationView:
    sentence: str
    detail: str
    """"" if there is nothing to add."""
    not_recorded: str
    """The columns that lack something, and why; "" if none does."""
    exposed_us: float | None
    """Time of a mean step and device, as the next one; null where no device is known."""
    overlapped_us: float | None
    rows: tuple[CollectiveRow, ...]
    """Most exposed first, those of the host last."""
    peers: tuple[PeerRow, ...]
    """Sends and receives by pair of ranks."""
