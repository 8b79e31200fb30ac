"""What is known of one row of a table: its whole name, its parts, its code and its places in the timeline."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tbprof.analysis.facts import Facts
from tbprof.analysis.kernels.kernel_table import kernel_table
from tbprof.analysis.kernels.short_names import short_name
from tbprof.analysis.memory.allocation_table import memory_rows
from tbprof.analysis.operators.grouping import Grouping
from tbprof.analysis.operators.operator_table import operator_table
from tbprof.analysis.summary.row_details import (
    Code,
    Part,
    Place,
    RowParts,
    parts_of_kernel,
    parts_of_operator,
)
from tbprof.errors import UsageError
from tbprof.views.base.rows import row_of
from tbprof.views.base.times import us
from tbprof.views.tables.cells import shown_list
from tbprof.views.tables.screen import RowCode, RowDetails, RowPart, RowPlace

_MOST_PARTS = 20

_Row = TypeVar("_Row")


def operator_details(facts: Facts, by: Grouping, row: int, *, in_steps: bool) -> RowDetails:
    """Of the row at this place of the table of operators.

    Raises:
        UsageError: The table has no such row.
    """
    found = _row(operator_table(facts, by, in_steps=in_steps).rows, row)
    parts = parts_of_operator(facts, by, found, in_steps=in_steps)
    shapes = shown_list(found.shapes) if found.shapes else ""
    return _details(facts, found.name, shapes, found.stack or (), parts, shorten=short_name)


def memory_details(facts: Facts, by: Grouping, row: int, *, in_steps: bool) -> RowDetails:
    """Of the row at this place of the table of memory: what is known of its operator.

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
    """Of the row at this place of the table of kernels; its parts are the operators that launch it.

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
