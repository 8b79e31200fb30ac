"""Figures as people read them: one decimal, a unit that fits, and never a zero for "unknown"."""

from __future__ import annotations

__all__ = ["count", "duration", "mean", "milliseconds", "share", "size"]

_NARROW_SPACE = "\u202f"
_US_PER_MS = 1000.0
_FEW_MS = 0.1
_MANY_MS = 10_000.0
_NO_DECIMALS_FROM = 1000.0
_WHOLE_PERCENT_FROM = 10.0
_LEAST = 0.1
_BYTES_PER_UNIT = 1000


def duration(us: float) -> str:
    """`15 us` below 0.1 ms, `55.3 ms` below 10 s, then seconds."""
    ms = us / _US_PER_MS
    if us == 0:
        return f"0{_NARROW_SPACE}ms"
    if ms < _FEW_MS:
        return f"{us:.0f}{_NARROW_SPACE}µs" if us >= 1 else f"<1{_NARROW_SPACE}µs"
    if ms < _MANY_MS:
        return f"{_decimals(ms)}{_NARROW_SPACE}ms"
    return f"{ms / 1000:.1f}{_NARROW_SPACE}s"


def milliseconds(us: float) -> str:
    """A duration for a table whose head says ms: `<0.1` for small, `0` for a true zero."""
    ms = us / _US_PER_MS
    if us == 0:
        return "0"
    return "<0.1" if ms < _LEAST else _decimals(ms)


def share(part: float) -> str:
    """A share of 1 in percent: whole from 10 on, else one decimal."""
    percent = part * 100
    if part == 0:
        return f"0{_NARROW_SPACE}%"
    if percent < _LEAST:
        return f"<0.1{_NARROW_SPACE}%"
    text = f"{percent:.0f}" if percent >= _WHOLE_PERCENT_FROM else f"{percent:.1f}"
    return f"{text}{_NARROW_SPACE}%"


def size(size_bytes: int) -> str:
    """Decimal units, so that GB/s add up."""
    if size_bytes < _BYTES_PER_UNIT:
        return f"{size_bytes}{_NARROW_SPACE}B"
    value = float(size_bytes)
    for unit in ("kB", "MB", "GB", "TB"):
        value /= _BYTES_PER_UNIT
        if value < _BYTES_PER_UNIT:
            return f"{value:.1f}{_NARROW_SPACE}{unit}"
    return f"{value:,.0f}{_NARROW_SPACE}TB"


def count(number: int, one: str, many: str = "") -> str:
    """`1 sync point`, `1,200 sync points`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def mean(value: float) -> str:
    """A mean of counts: whole where it is whole, else one decimal."""
    return f"{value:,.0f}" if value.is_integer() else _decimals(value)


def _decimals(value: float) -> str:
    return f"{value:,.0f}" if value >= _NO_DECIMALS_FROM else f"{value:.1f}"
