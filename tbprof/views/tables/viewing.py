"""A table as the tab draws it: column by column, without those in which nothing is known."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tbprof.analysis.figures.kernel_names import short_name
from tbprof.views.tables.cells import Cell, Column, Json, Kind, Table, written_list
from tbprof.views.tables.screen import (
    DurationBin,
    Histogram,
    SequenceRow,
    TableChoice,
    TableColumn,
    TableView,
)

MOST_ROWS = 100_000
"""More take a browser longer to sort than a person waits."""

_ALL_AT_ONCE = 5_000
"""The number of rows up to which a browser reads all columns while nobody notices."""

_SCALES: Mapping[Kind | Literal["flag"], int] = {"us": 1_000, "share": 1_000_000}
_DIGITS = 4
"""The digits after the point of figures that are no counts."""


def table_view(
    table: Table,
    *,
    headline: str,
    choices: Sequence[TableChoice] = (),
    most_rows: int = MOST_ROWS,
) -> TableView:
    """The view of a table.

    Args:
        table: Its rows come by importance.
        headline: What it says, in a sentence.
        choices: What it could be grouped by.
        most_rows: More are left out, and said to be.
    """
    rows = table.rows[:most_rows]
    device_us = table.beside.get("device_us", table.beside.get("total_us"))
    has_device = device_us is not None
    return TableView(
        table=table.name,
        by=table.by,
        scope="steps" if table.in_steps else "trace",
        marks_steps=bool(table.steps),
        headline=headline,
        about=table.sentence,
        choices=tuple(choices),
        count=len(table.rows),
        columns=tuple(
            _column(column, [row[at] for row in rows], has_device=has_device)
            for at, column in enumerate(table.columns)
            if column.is_in_tab and any(row[at] is not None for row in rows)
        ),
        device_us=device_us,
        without_row_us=table.beside.get("without_operator_us"),
        histogram=_histogram(table.beside.get("durations")),
        sequences=tuple(_sequence(one) for one in table.beside.get("sequences", ())),
    )


def first_columns(view: TableView) -> TableView:
    """The same, of many rows without the figures that nobody sees before asking for them.

    Texts are all there: a filter looks in each.
    """
    if min(view.count, MOST_ROWS) <= _ALL_AT_ONCE:
        return view
    columns = (one if one.is_first else dataclasses.replace(one, numbers=None) for one in view.columns)
    return dataclasses.replace(view, columns=tuple(columns))


def _column(column: Column[Any], cells: Sequence[Cell], *, has_device: bool) -> TableColumn:
    if column.is_never_zero:
        cells = [cell or None for cell in cells]
    kind = _kind(column, cells)
    scale = _SCALES.get(kind, 1)
    return TableColumn(
        key=column.key,
        head=column.shown_title,
        about=column.about,
        kind=kind,
        is_first=column.is_first or (column.is_first_on_host and not has_device),
        texts=tuple(_text(cell) for cell in cells) if kind == "text" else None,
        numbers=tuple(_scaled(cell, scale) for cell in cells) if kind != "text" else None,
        scale=scale,
    )


def _scaled(cell: float | None, scale: int) -> float | None:
    if cell is None:
        return None
    return round(cell * scale) if scale > 1 else round(cell, _DIGITS)


def _kind(column: Column[Any], cells: Sequence[Cell]) -> Kind | Literal["flag"]:
    if any(isinstance(cell, bool) for cell in cells):
        return "flag"
    return column.kind


def _text(cell: Cell) -> str | None:
    return written_list(cell) if isinstance(cell, list) else cell


def _histogram(durations: Json | None) -> Histogram | None:
    if durations is None:
        return None
    return Histogram(
        short_below_us=durations["short_below_us"],
        short_calls=durations["short_calls"],
        short_us=durations["short_us"],
        bins=tuple(DurationBin(**one) for one in durations["bins"]),
    )


def _sequence(sequence: Json) -> SequenceRow:
    names, count = sequence["kernels"], sequence["count"]
    return SequenceRow(
        kernels=tuple(short_name(name) for name in names),
        count=count,
        saved_launches=(len(names) - 1) * count,
        total_us=sequence["total_us"],
        between_us=max(sequence["span_us"] - sequence["total_us"], 0.0),
    )
