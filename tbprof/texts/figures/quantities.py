"""Figures as people read them: one decimal, a unit that fits, and never a zero for "unknown".

The tab writes its figures by the same rules, in `plugin_frontend/src/format`; `tests/data/figures.json`
holds what both make of the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal

_NARROW_SPACE = "\u202f"
_MINUS = "\u2212"

_US_PER_MS = 1000.0
_US_PER_S = 1_000_000.0
_FEW_US = 100.0
_SECONDS_FROM_US = 9_999_500.0
"""Below it, ms have no more than four digits when rounded."""

_LEAST = 0.1
_WHOLE_FROM = 999.95
"""What rounds to 1,000.0 or more has no decimals."""
_WHOLE_PERCENT_FROM = 9.95
_TENTH = Decimal("0.1")

_BYTES = {"TB": 1e12, "GB": 1e9, "MB": 1e6, "kB": 1e3}
_BYTES_BELOW = 999.5
_UNIT_FROM = 0.99995
"""The least of a unit; below it, there are less than 1,000.0 of the next smaller when rounded."""


def duration(us: float) -> str:
    """`15 us` below 0.1 ms, `55.3 ms` below 10 s, then seconds."""
    return _with_minus(us, _duration)


def milliseconds(us: float) -> str:
    """A duration for a table whose head says ms: `<0.1` for small, `0` for a true zero."""
    return _decimal(us / _US_PER_MS)


def share(part: float) -> str:
    """A share of 1 in percent: whole from 10 on, else one decimal."""
    return _with_minus(part, _share)


def size(size_bytes: int) -> str:
    """Decimal units, so that GB/s add up."""
    return _with_minus(size_bytes, _size)


def count(number: int, one: str, many: str = "") -> str:
    """`1 sync point`, `1,200 sync points`."""
    return f"{_with_minus(number, lambda size: f'{size:,}')} {one if number == 1 else many or one + 's'}"


def mean(value: float) -> str:
    """A mean of counts: whole where it is whole, else one decimal."""
    return _with_minus(value, _whole) if float(value).is_integer() else _decimal(value)


def _with_minus(value: float, text: Callable[[float], str]) -> str:
    """`text` writes the size, before which "<0.1" has no sign."""
    written = text(abs(value))
    return f"{_MINUS}{written}" if value < 0 and not written.startswith("<") else written


def _duration(us: float) -> str:
    if us == 0:
        return f"0{_NARROW_SPACE}ms"
    if us < _FEW_US:
        return f"{_whole(us) if us >= 1 else '<1'}{_NARROW_SPACE}µs"
    if us < _SECONDS_FROM_US:
        return f"{_decimal(us / _US_PER_MS)}{_NARROW_SPACE}ms"
    return f"{_decimal(us / _US_PER_S)}{_NARROW_SPACE}s"


def _share(part: float) -> str:
    percent = part * 100
    text = _decimal(percent) if percent < _WHOLE_PERCENT_FROM else _whole(percent)
    return f"{text}{_NARROW_SPACE}%"


def _size(size_bytes: float) -> str:
    if size_bytes < _BYTES_BELOW:
        return f"{_whole(size_bytes)}{_NARROW_SPACE}B"
    larger = (unit for unit in ("TB", "GB", "MB") if size_bytes >= _UNIT_FROM * _BYTES[unit])
    unit = next(larger, "kB")
    return f"{_decimal(size_bytes / _BYTES[unit])}{_NARROW_SPACE}{unit}"


def _decimal(value: float) -> str:
    """One place; none from 1,000 on; "<0.1" for what would look like nothing."""
    return _with_minus(value, _decimal_size)


def _decimal_size(value: float) -> str:
    if value == 0:
        return "0"
    if value < _LEAST:
        return f"<{_LEAST}"
    return str(Decimal(value).quantize(_TENTH, ROUND_HALF_UP)) if value < _WHOLE_FROM else _whole(value)


def _whole(value: float) -> str:
    return f"{Decimal(float(value)).to_integral_value(ROUND_HALF_UP):,}"


def first_few(names: Sequence[object], most: int) -> str:
    """The first `most`, and how many there are besides: `rank 0, rank 1 and 6 more`."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(map(str, names[:most])) + more
