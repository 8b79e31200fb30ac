"""What crosses the bus: copies by kind, and how a line asked for them."""

from __future__ import annotations

from tbprof.model import CopyTotal, RecordedCall, Report, Source
from tbprof.records import dataclass
from tbprof.texts.figures.quantities import duration, size
from tbprof.views.steady import row_of

_WAITING_FACTOR = 3
"""The factor from which waiting and copying are told apart: most of the wait is not the copy."""

_NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class CopyRow:
    """Copies of one direction and memory, over the window."""

    direction: str
    memory: str
    count: int
    bytes: int
    blocking: int
    wait_us: float | None
    """How long those that blocked held the host."""
    device_us: float | None
    exposed_us: float | None
    """The part of `device_us` during which the device computed nothing."""
    bytes_per_s: float | None
    best_bytes_per_s: float | None
    """The speed of the fastest single copy."""
    remark: str
    """A sentence where the host waits for something else than the copies; else ""."""


def copy_rows(report: Report) -> tuple[CopyRow, ...]:
    """Most bytes first, as in the report."""
    return tuple(_row(total) for total in report.copies)


def bytes_per_s(size_bytes: int, device_ns: int | None) -> float | None:
    """None where the time was not recorded, or is too short to divide by."""
    return None if not device_ns else size_bytes * _NS_PER_S / device_ns


def non_blocking_of(source: Source | None, calls: tuple[RecordedCall, ...]) -> bool | None:
    """How the line asked for its copies; None if no such line was recorded, or they differ."""
    if source is None:
        return None
    lines = {source.line} if source.exact else set(source.candidates)
    asked = {
        call.non_blocking
        for call in calls
        if call.file == source.file and call.line in lines and call.non_blocking is not None
    }
    return asked.pop() if len(asked) == 1 else None


def _row(total: CopyTotal) -> CopyRow:
    return row_of(
        CopyRow,
        total,
        bytes_per_s=bytes_per_s(total.bytes, total.device_ns),
        remark=waiting_remark(total) if _mostly_waits(total) else "",
    )


def _mostly_waits(total: CopyTotal) -> bool:
    if total.wait_ns is None or total.device_ns is None:
        return False
    return total.wait_ns > _WAITING_FACTOR * total.device_ns


_NS_PER_US = 1000


def waiting_remark(total: CopyTotal) -> str:
    """A remark that the host waits far longer than the copies take."""
    waited = duration((total.wait_ns or 0) / _NS_PER_US)
    copied = duration((total.device_ns or 0) / _NS_PER_US)
    return (
        f"The {waited} are not the copies: the {size(total.bytes)} take {copied}, the rest is waiting "
        "for work that was queued before them."
    )
