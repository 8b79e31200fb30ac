"""Two tables of one kind, row by row: what each adds to the difference of a step.

Rows are matched by what tells them apart. What only one window has stands beside a zero, and what no row
holds is a row of its own: work without an operator, idle time, and less what ran side by side. So the
differences of all rows are the difference of the two steps.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from tbprof.analysis.facts import Facts
from tbprof.errors import NotComparable, UsageError
from tbprof.records import dataclass
from tbprof.texts.tables import (
    COPIES,
    IDLE,
    OF_SHARE,
    OUTSIDE_OPERATORS,
    SIDE_BY_SIDE,
    comparison_sentence,
)
from tbprof.trace.columns.arrays import NONE
from tbprof.views.steady import us
from tbprof.views.tables.cells import Cell, Column, Table, cells_of

_KEYS = ("name", "shapes", "stack")
_PATH = "path"
"""The column by which alone rows of a tree are matched: names count equal layers."""
_SHOWN = ("name", "short_name", "path", "shapes", "source")
_NAMES = (_PATH, "name", "short_name")
_ON_DEVICE = ("device_self_us", "total_us")
_ON_HOST = ("host_self_us",)
_BESIDE_ROWS = "rest "
"""Begins the keys of what is no row of either table."""
_WHOLE, _REST = "device_us", "without_operator_us"


def compare_tables(before: Table, after: Table, times: Sequence[StepTime] | None = None) -> Table:
    """What changed from one window to the other, a step where both mark steps, largest difference first.

    Times are of the device: an operator's own, a kernel's all. Where neither window has one they are an
    operator's own on the host. A share is of the difference of the windows, None where they take equally
    long; a row that goes against it has a negative one.

    Args:
        before: Of the earlier window.
        after: Of the later one.
        times: Of both, what a step takes; without them the difference is that of what the rows take.

    Raises:
        NotComparable: Only one of them has a device, or rows.
        UsageError: These rows have no calls to compare.
    """
    on_device = _check(before, after)
    figures = _ON_DEVICE if on_device else _ON_HOST
    a_step = bool(before.steps and after.steps)
    sides = [_side(table, figures, len(table.steps) if a_step else 1) for table in (before, after)]
    rows_us = [_total(side) for side in sides]
    if times is not None:
        for table, side, time in zip((before, after), sides, times, strict=True):
            _add_rest(table, side, time)
    before_us, after_us = map(_total, sides)
    shown = [_shown(column, at) for at, column in enumerate(after.columns) if column.key in _SHOWN]
    columns = (*shown, *_COLUMNS)
    return Table(
        name=after.name,
        by=after.by,
        sentence=comparison_sentence(
            after.name,
            rows_us,
            None if times is None else (before_us, after_us),
            a_step=a_step,
            on_device=on_device,
        ),
        in_steps=after.in_steps,
        steps=after.steps,
        columns=columns,
        rows=cells_of(columns, _rows(sides[0], sides[1], after_us - before_us)),
        beside={"us_before": before_us, "us_after": after_us, "a_step": a_step, "on_device": on_device},
    )


def _check(before: Table, after: Table) -> bool:
    """Whether both have work of a device, or neither: what else they need to be compared is there.

    Raises:
        NotComparable: Only one of them has a device, or rows.
        UsageError: These rows have no calls to compare.
    """
    on_device = _has_device(before)
    if on_device != _has_device(after):
        having = "earlier" if on_device else "later"
        raise NotComparable(
            f"only the {having} of the two windows has work of a GPU: their times have nothing in common"
        )
    keys = {column.key for column in after.columns}
    if "calls" not in keys or keys.isdisjoint(_ON_DEVICE if on_device else _ON_HOST):
        without = "" if on_device else " of windows without a device"
        raise UsageError(f"{after.name}{without} can't be compared: leave --against out")
    if on_device and bool(before.rows) != bool(after.rows):
        lacking = "later" if before.rows else "earlier"
        raise NotComparable(f"the {lacking} of the two windows has no {after.name} recorded: compare kernels")
    return on_device


@dataclass(frozen=True, slots=True)
class _Amount:
    """The amount of one row, a step."""

    cells: tuple[Cell, ...]
    calls: float
    us: float


_NOTHING = _Amount((), 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class _Compared:
    """A row of both windows, or of one."""

    old: _Amount | None
    new: _Amount | None
    total_us: float
    """What the windows differ by."""
    is_rest: bool
    """Whether it is no row of either table."""

    @property
    def before(self) -> _Amount:
        return self.old or _NOTHING

    @property
    def after(self) -> _Amount:
        return self.new or _NOTHING

    @property
    def named(self) -> _Amount:
        return self.new or self.old or _NOTHING

    @property
    def state(self) -> str:
        return (
            "rest" if self.is_rest else "new" if self.old is None else "gone" if self.new is None else "both"
        )

    @property
    def difference_us(self) -> float:
        return self.after.us - self.before.us


_COLUMNS: tuple[Column[_Compared], ...] = (
    Column("state", lambda row: row.state, head="state"),
    Column(
        "calls_before", lambda row: None if row.is_rest else row.before.calls, "number", head="calls before"
    ),
    Column(
        "calls_after",
        lambda row: None if row.is_rest else row.after.calls,
        "number",
        head="after",
        title="after",
    ),
    Column("us_before", lambda row: row.before.us, "us", head="time before"),
    Column("us_after", lambda row: row.after.us, "us", head="after", title="after"),
    Column("difference_us", lambda row: row.difference_us, "us", head="difference"),
    Column(
        "share",
        lambda row: row.difference_us / row.total_us if row.total_us else None,
        "share",
        head="share",
        about=OF_SHARE,
        is_first=True,
    ),
)


def _has_device(table: Table) -> bool:
    """Whether there is a device; without one there are no kernels."""
    return table.beside[_WHOLE] is not None if _WHOLE in table.beside else bool(table.rows)


def _side(table: Table, figures: Sequence[str], steps: int) -> dict[str, _Amount]:
    keys = [at for at, column in enumerate(table.columns) if column.key == _PATH]
    keys = keys or [at for at, column in enumerate(table.columns) if column.key in _KEYS]
    calls = [column.key for column in table.columns].index("calls")
    figure = next(at for at, column in enumerate(table.columns) if column.key in figures)
    found: dict[str, _Amount] = {}
    for row in table.rows:
        us = row[figure] or 0.0
        found[repr([row[key] for key in keys])] = _Amount(row, row[calls] / steps, us / steps)
    if rest := table.beside.get(_REST):
        found[""] = _named(table, "launched by no operator", rest / steps)
    return found


def _add_rest(table: Table, side: dict[str, _Amount], time: StepTime) -> None:
    """What a step holds beside the rows; what ran side by side is counted twice by them, and taken away."""
    rest = {}
    if table.name == "kernels":
        rest[COPIES] = time.copies_us
    if time.idle_us is not None:
        rest[IDLE] = time.idle_us
    left = time.length_us - _total(side) - sum(rest.values())
    rest[OUTSIDE_OPERATORS if time.idle_us is None else SIDE_BY_SIDE] = left
    for name, rest_us in rest.items():
        side[f"{_BESIDE_ROWS}{name}"] = _named(table, name, rest_us)


def _named(table: Table, name: str, us: float) -> _Amount:
    return _Amount(tuple(name if column.key in _NAMES else None for column in table.columns), 0.0, us)


def _total(side: dict[str, _Amount]) -> float:
    return sum(amount.us for amount in side.values())


def _rows(
    before: Mapping[str, _Amount], after: Mapping[str, _Amount], total_us: float
) -> Sequence[_Compared]:
    """Largest difference first; of equal ones in the order of the later window."""
    rows = [
        _Compared(before.get(key), after.get(key), total_us, is_rest=key.startswith(_BESIDE_ROWS))
        for key in {**after, **before}
    ]
    return sorted(rows, key=lambda row: -abs(row.difference_us))


def _shown(column: Column[Any], at: int) -> Column[_Compared]:
    """A column of the tables that are compared, from the later one where that has the row."""
    # Text shows the path of a row that no longer stands below the one it lies in.
    head = "module" if column.key == _PATH else column.head
    return dataclasses.replace(column, cell=lambda row: row.named.cells[at], head=head)


@dataclass(frozen=True, slots=True)
class StepTime:
    """The time of a mean step, or of a window that marks none."""

    length_us: float
    """The device's step where the host runs ahead."""
    idle_us: float | None
    """None without a device."""
    copies_us: float
    """Copies and memsets that were launched in it, whatever ran beside them."""


def step_times(windows: Sequence[Facts], *, in_steps: bool) -> tuple[StepTime, ...] | None:
    """The step time of each window; None where they can't be compared.

    That is where one of them marks steps and rows are not of these, where it lost some of its kernels, and
    where it has several devices, which run side by side.
    """
    if any(facts.steps.recorded != in_steps for facts in windows):
        return None
    times = [_step_time(facts) for facts in windows]
    known = tuple(time for time in times if time is not None)
    return known if len(known) == len(times) else None


def _step_time(facts: Facts) -> StepTime | None:
    steps, work = facts.steps, facts.work
    count = max(len(steps), 1)
    if not work.devices:
        return StepTime(us(int((steps.end_ns - steps.start_ns).sum())) / count, None, 0.0)
    if len(facts.idle.by_device) != 1 or not facts.device_is_known:
        return None
    (idle,) = facts.idle.by_device.values()
    counted = ~work.is_kernel
    if steps.recorded:
        counted &= (work.launch != NONE) & (steps.index_of(work.launch_start_ns) != NONE)
    copies_ns = int((work.end_ns - work.start_ns)[counted].sum())
    return StepTime(us(steps.total_ns) / count, us(int(idle.device_ns.sum())) / count, us(copies_ns) / count)
