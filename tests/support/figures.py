"""Numbers, and what Python makes of them: each kind of figure, around all its edges."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeAlias

from tbprof.texts.figures.quantities import count, duration, mean, milliseconds, share, size

TABLE = Path(__file__).parents[1] / "data" / "figures.json"

Table: TypeAlias = dict[str, list[tuple[float, str]]]
"""By the name of a function, numbers and their texts."""

_DIGITS = (1.0, 1.5, 2.25, 4.94999, 4.95, 5.0, 9.5, 9.94999, 9.95, 9.9949, 9.9951, 9.99951, 9.99996)
"""Multiplied by powers of ten, these round to a digit more, or just do not."""
_TIES = (0.25, 0.5, 0.75, 1.5, 2.5, 4.25, 10.5, 12.75, 98.5, 99.5, 250.25, 1000.5, 1001.5)
"""Halves, which a machine writes without an error: they round away from zero."""


def figures() -> Table:
    """Durations in us, shares of 1, sizes in bytes, means and counts."""
    durations = list(
        _around([1, 99.5, 100, 1e6, 999_950, 999_951, 9_999_500, 1e7, 6e7, 3.6e9], powers=(-2, 10))
    )
    sizes = _whole_numbers(_around([999, 1e3, 999_950, 999_950_000, 999_950_000_000, 1e12], powers=(0, 15)))
    return {
        "duration": _texts(duration, durations),
        "milliseconds": _texts(milliseconds, durations),
        "share": _texts(share, _around([0.001, 0.0995, 0.0996, 0.1, 0.284, 1, 9.995], powers=(-5, 2))),
        "size": _texts(size, sizes),
        "mean": _texts(mean, _around([1, 999.95, 1000, 1211], powers=(-2, 6))),
        "count": _texts(_sites, _whole_numbers(_around([1, 2, 999, 1000, 1e6], powers=(0, 9)))),
    }


def written(table: Table) -> str:
    """As the file holds it: a line a figure."""
    kinds = (
        f'"{name}": [\n' + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]"
        for name, rows in table.items()
    )
    return "{\n" + ",\n".join(kinds) + "\n}\n"


def _sites(number: int) -> str:
    return count(number, "site")


def _around(edges: Iterable[float], powers: tuple[int, int]) -> Iterable[float]:
    """The edges with their neighbors and ties, all of them negative as well; digits at each power of ten."""
    sharp = set(_TIES)
    for edge in edges:
        sharp |= {edge, math.nextafter(edge, 0), math.nextafter(edge, math.inf)}
    digits = {float(f"{digits}e{power}") for digits in _DIGITS for power in range(*powers)}
    return sorted({0.0} | sharp | {-value for value in sharp} | digits)


def _whole_numbers(values: Iterable[float]) -> list[int]:
    return sorted({round(value) for value in values})


def _texts(text: Callable[[Any], str], values: Iterable[float]) -> list[tuple[float, str]]:
    return [(value, text(value)) for value in values]
