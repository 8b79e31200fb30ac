"""The tables of the tab, as they are asked for, and what is known of their rows."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import TypeVar

from tbprof.analysis.attribution.annotations import label_rows, module_rows
from tbprof.analysis.facts import FACTS_TABLES, Facts
from tbprof.analysis.figures.allocation_table import memory_rows
from tbprof.analysis.figures.kernel_names import short_name
from tbprof.analysis.figures.kernel_table import KERNEL_TABLES, kernel_table
from tbprof.analysis.figures.memory_blocks import MEMORY_TABLES
from tbprof.analysis.figures.module_table import MODULE_TABLES
from tbprof.analysis.figures.operator_grouping import GROUPING_TABLES, GROUPINGS, Grouping
from tbprof.analysis.figures.operator_table import operator_table
from tbprof.analysis.figures.row_details import (
    Code,
    Part,
    Place,
    RowParts,
    parts_of_kernel,
    parts_of_operator,
)
from tbprof.errors import UsageError
from tbprof.texts.tables import (
    IDLE,
    NO_ROWS,
    comparison_headline,
    kernels_headline,
    operators_headline,
)
from tbprof.trace.columns.columns import Category
from tbprof.trace.columns.tables import Tables
from tbprof.views.steady import row_of, us
from tbprof.views.tables.cells import Table, shown_list
from tbprof.views.tables.comparison import compare_tables, step_times
from tbprof.views.tables.kernels import kernels
from tbprof.views.tables.memory import memory
from tbprof.views.tables.modules import modules
from tbprof.views.tables.operators import WHERE_MISSING, operators
from tbprof.views.tables.screen import RowCode, RowDetails, RowPart, RowPlace, TableChoice, TableView
from tbprof.views.tables.viewing import MOST_ROWS, table_view

PAGE_TABLES: Tables = FACTS_TABLES | GROUPING_TABLES | KERNEL_TABLES | MODULE_TABLES | MEMORY_TABLES
"""What of a trace they read."""

_MOST_NAMED = 3
_LEAST_MOVED = 0.1
"""The share of all that rows add to a difference or take from it; what moved less is not named."""


def page_of(facts: Facts, name: str, by: str, *, in_steps: bool, most_rows: int = MOST_ROWS) -> TableView:
    """The table of that name, by something that was recorded.

    Args:
        facts: Of the window, with `PAGE_TABLES`.
        name: `operators`, `kernels` or `memory`.
        by: What a row is; by name where that was not recorded.
        in_steps: Whether only what belongs to a step is counted, where steps are marked.
        most_rows: See `table_view`.

    Raises:
        UsageError: There is no such table.
    """
    in_steps = in_steps and facts.steps.recorded
    if name == "kernels":
        table = kernels(facts, "name", in_steps=in_steps)
        return table_view(table, headline=_kernels_headline(table), most_rows=most_rows)
    choices = tuple(TableChoice(one, _missing(facts, one)) for one in GROUPINGS)
    if name == "memory":
        table = memory(facts, _grouping(by, choices), in_steps=in_steps)
        return table_view(table, headline=table.sentence, choices=choices, most_rows=most_rows)
    _of_operators(name)
    table = operators(facts, _grouping(by, choices), in_steps=in_steps)
    return table_view(table, headline=_operators_headline(table), choices=choices, most_rows=most_rows)


class OpenTables:
    """The facts of a trace, and the table of it that was asked for last: its columns come in two parts."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._last: tuple[tuple[str, str, bool], TableView] | None = None

    def view(self, name: str, by: str, *, in_steps: bool) -> TableView:
        """The whole table.

        Raises:
            UsageError: There is no such one.
        """
        key = (name, by, in_steps)
        if self._last is None or self._last[0] != key:
            self._last = (key, page_of(self.facts, name, by, in_steps=in_steps))
        return self._last[1]


def details_of(facts: Facts, name: str, by: str, row: int, *, in_steps: bool) -> RowDetails:
    """What is known of one row of the same table.

    Raises:
        UsageError: There is no such table, or no such row.
    """
    in_steps = in_steps and facts.steps.recorded
    if name == "kernels":
        return kernel_details(facts, row, in_steps=in_steps)
    choices = tuple(TableChoice(one, _missing(facts, one)) for one in GROUPINGS)
    if name == "memory":
        return memory_details(facts, _grouping(by, choices), row, in_steps=in_steps)
    _of_operators(name)
    return operator_details(facts, _grouping(by, choices), row, in_steps=in_steps)


def compared_view(before: Facts, after: Facts, name: str) -> TableView:
    """What each row adds to the difference of two windows, of their steps where both mark them.

    Raises:
        UsageError: There is no such table, or only one of the windows has a device.
    """
    make = {"operators": operators, "kernels": kernels, "modules": modules}.get(name)
    if make is None:
        raise UsageError(f"there is no table of {name[:40]!r} to compare")
    in_steps = before.steps.recorded and after.steps.recorded
    earlier, later = (make(facts, "name", in_steps=in_steps) for facts in (before, after))
    table = compare_tables(earlier, later, step_times((before, after), in_steps=in_steps))
    return table_view(table, headline=_comparison_headline(table))


def _comparison_headline(table: Table) -> str:
    is_short = any(column.key == "short_name" for column in table.columns)
    differences = zip(
        table.cells("short_name" if is_short else "name"), table.cells("difference_us"), strict=True
    )
    shown, rows = dict[str, float](), list[tuple[str, float]]()
    for name, difference_us in differences:
        if name in NO_ROWS:
            shown[name] = difference_us
        else:
            rows.append((name, difference_us))
    moved = sum(abs(us) for _, us in rows)
    largest = [(one, us) for one, us in rows[:_MOST_NAMED] if abs(us) > _LEAST_MOVED * moved]
    idle_us = shown.get(IDLE, 0.0)
    return comparison_headline(
        table.name.removesuffix("s"),
        largest,
        idle_us if abs(idle_us) > _LEAST_MOVED * moved else None,
        a_step=table.beside["a_step"],
        on_device=table.beside["on_device"],
    )


def _of_operators(name: str) -> None:
    if name != "operators":
        raise UsageError(f"there is no table of {name[:40]!r}")


def _grouping(by: str, choices: tuple[TableChoice, ...]) -> Grouping:
    offered = {choice.by for choice in choices if not choice.missing}
    return next((one for one in GROUPINGS if one == by and one in offered), "name")


def _missing(facts: Facts, by: Grouping) -> str:
    """Why nothing can be grouped by that; "" where it can."""
    trace = facts.trace
    if by == "shapes":
        is_there = len(trace.input_shapes.rows) > 0
    elif by == "stack":
        is_there = bool((trace.slices.category == Category.PYTHON).any()) or len(trace.call_stack.rows) > 0
    elif by == "module":
        is_there = len(module_rows(trace)) > 0
    elif by == "label":
        is_there = len(label_rows(trace)) > 0
    else:
        is_there = by != "step" or facts.steps.recorded
    return "" if is_there else WHERE_MISSING[by]


def _operators_headline(table: Table) -> str:
    largest: dict[str, float] = {}
    for name, share in islice(zip(table.cells("name"), table.cells("share"), strict=True), _MOST_NAMED):
        # By shapes or stack an operator has several rows.
        largest[name] = largest.get(name, 0.0) + share
    return operators_headline(table.by, [*largest.items()], has_device=table.beside["device_us"] is not None)


def _kernels_headline(table: Table) -> str:
    durations = table.beside["durations"]
    return kernels_headline(
        calls=sum(one["calls"] for one in durations["bins"]),
        total_us=table.beside["total_us"],
        short_calls=durations["short_calls"],
        short_us=durations["short_us"],
    )


_MOST_PARTS = 20

_Row = TypeVar("_Row")


def operator_details(facts: Facts, by: Grouping, row: int, *, in_steps: bool) -> RowDetails:
    """The details of the row at this place of the table of operators.

    Raises:
        UsageError: The table has no such row.
    """
    found = _row(operator_table(facts, by, in_steps=in_steps).rows, row)
    parts = parts_of_operator(facts, by, found, in_steps=in_steps)
    shapes = shown_list(found.shapes) if found.shapes else ""
    return _details(facts, found.name, shapes, found.stack or (), parts, shorten=short_name)


def memory_details(facts: Facts, by: Grouping, row: int, *, in_steps: bool) -> RowDetails:
    """The details of the row at this place of the table of memory: what is known of its operator.

    Raises:
        UsageError: The table has no such row.
    """
    found = _row(memory_rows(facts, by, in_steps=in_steps), row)
    if found.calls is None:
        return RowDetails("in no operator", "", (), (), 0, (), ())
    shapes = shown_list(found.shapes) if found.shapes else ""
    parts = parts_of_operator(facts, by, found, in_steps=in_steps)
    return _details(facts, found.name or "", shapes, found.stack or (), parts, shorten=short_name)


def kernel_details(facts: Facts, row: int, *, in_steps: bool) -> RowDetails:
    """The details of the row at this place of the table of kernels; its parts are the operators that launch
    it.

    Raises:
        UsageError: The table has no such row.
    """
    found = _row(kernel_table(facts, in_steps=in_steps).rows, row)
    parts = parts_of_kernel(facts, found, in_steps=in_steps)
    return _details(facts, found.name, "", (), parts, shorten=str)


def _row(rows: tuple[_Row, ...], at: int) -> _Row:
    if not 0 <= at < len(rows):
        raise UsageError(f"row must be a whole number below {len(rows)}, not {at}")
    return rows[at]


def _details(
    facts: Facts,
    name: str,
    shapes: str,
    stack: tuple[str, ...],
    found: RowParts,
    *,
    shorten: Callable[[str], str],
) -> RowDetails:
    whole = max(sum(part.device_ns for part in found.parts), 1)
    return RowDetails(
        name=name,
        shapes=shapes,
        stack=stack,
        parts=tuple(_part(part, shorten(part.name), whole) for part in found.parts[:_MOST_PARTS]),
        more_parts=max(len(found.parts) - _MOST_PARTS, 0),
        code=tuple(_code(code) for code in found.code),
        places=tuple(_place(facts, place) for place in found.places),
    )


def _part(part: Part, shown: str, whole_ns: int) -> RowPart:
    return RowPart(part.name, shown, part.calls, us(part.device_ns), part.device_ns / whole_ns)


def _code(code: Code) -> RowCode:
    source = code.source
    return RowCode(source.file, source.line, source.function, source.exact, code.calls, us(code.time_ns))


def _place(facts: Facts, place: Place) -> RowPlace:
    return row_of(
        RowPlace,
        place,
        step_name="" if place.step is None else facts.steps.names[place.step],
        start_us=us(place.start_ns - facts.origin_ns),
    )
