"""Two tables of one kind, row by row: what each adds to the difference of a step.

Rows are matched by what tells them apart. What only one window has stands beside a zero, and what no row
holds is a row of its own, so that the differences of all rows are the difference of the two windows.
"""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.errors import UsageError
from tbprof.records import dataclass
from tbprof.texts.screens.tables import comparison_sentence
from tbprof.views.tables.table import Cell, Column, Table

__all__ = ["compare_tables"]

_KEYS = ("name", "shapes", "stack")
_PATH = "path"
"""By which alone rows of a tree are matched: names count equal layers."""
_SHOWN = ("name", "short_name", "path", "shapes", "source")
_FIGURES = ("device_self_us", "total_us")
_REST = "without_operator_us"

_COLUMNS = (
    Column("state", "state"),
    Column("calls_before", "calls before", "number"),
    Column("calls_after", "after", "number"),
    Column("us_before", "time before", "us"),
    Column("us_after", "after", "us"),
    Column("difference_us", "difference", "us"),
    Column("share", "share", "share"),
)


def compare_tables(before: Table, after: Table) -> Table:
    """What changed from one window to the other, a step where both mark steps, largest difference first.

    Times are of the device: an operator's own, a kernel's all. A share is of the difference of the windows,
    None where they take equally long; a row that goes against it has a negative one.

    Raises:
        UsageError: One of them has no device, or its rows have no calls to compare.
    """
    keys = {column.key for column in after.columns}
    if "calls" not in keys or keys.isdisjoint(_FIGURES):
        raise UsageError(f"{after.name} can't be compared: leave --against out")
    if any(table.rows and _figures(table, at=0) is None for table in (before, after)):
        raise UsageError("a window without a device can't be compared: name two that have one")
    a_step = bool(before.steps and after.steps)
    sides = [_side(table, len(table.steps) if a_step else 1) for table in (before, after)]
    shown = [at for at, column in enumerate(after.columns) if column.key in _SHOWN]
    total = _total(sides[1]) - _total(sides[0])
    rows = [
        (*(named[at] for at in shown), *_cells(old, new, total))
        for key in {**sides[1], **sides[0]}
        for old, new in [(sides[0].get(key), sides[1].get(key))]
        for named in [(new or old or _NOTHING).cells]
    ]
    rows.sort(key=lambda row: -abs(row[-2]))
    return Table(
        name=after.name,
        by=after.by,
        sentence=comparison_sentence(_total(sides[0]), _total(sides[1]), a_step=a_step),
        in_steps=after.in_steps,
        steps=after.steps,
        columns=(*(_with_head(after.columns[at]) for at in shown), *_COLUMNS),
        rows=tuple(rows),
        beside={"us_before": _total(sides[0]), "us_after": _total(sides[1]), "a_step": a_step},
    )


@dataclass(frozen=True, slots=True)
class _Amount:
    """Of one row, a step."""

    cells: tuple[Cell, ...]
    calls: float
    us: float


_NOTHING = _Amount((), 0.0, 0.0)


def _side(table: Table, steps: int) -> dict[str, _Amount]:
    keys = [at for at, column in enumerate(table.columns) if column.key == _PATH]
    keys = keys or [at for at, column in enumerate(table.columns) if column.key in _KEYS]
    calls = [column.key for column in table.columns].index("calls")
    found: dict[str, _Amount] = {}
    for at, row in enumerate(table.rows):
        us = _figures(table, at=at) or 0.0
        found[repr([row[key] for key in keys])] = _Amount(row, row[calls] / steps, us / steps)
    if rest := table.beside.get(_REST):
        cells = tuple(
            "launched by no operator" if at == keys[0] else None for at in range(len(table.columns))
        )
        found[""] = _Amount(cells, 0.0, rest / steps)
    return found


def _with_head(column: Column) -> Column:
    """Text shows the path of a row that no longer stands below the one it lies in."""
    return Column(_PATH, "module") if column.key == _PATH else column


def _figures(table: Table, *, at: int) -> float | None:
    figure = next(place for place, column in enumerate(table.columns) if column.key in _FIGURES)
    value: float | None = table.rows[at][figure]
    return value


def _total(side: dict[str, _Amount]) -> float:
    return sum(amount.us for amount in side.values())


def _cells(old: _Amount | None, new: _Amount | None, total_us: float) -> Sequence[Cell]:
    before, after = old or _NOTHING, new or _NOTHING
    difference = after.us - before.us
    return (
        "new" if old is None else "gone" if new is None else "both",
        before.calls,
        after.calls,
        before.us,
        after.us,
        difference,
        difference / total_us if total_us else None,
    )
