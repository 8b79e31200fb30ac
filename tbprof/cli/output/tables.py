"""A table as text, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence

from tbprof.escaping import inert, json_text, plain
from tbprof.texts.figures.quantities import duration, mean, share, size
from tbprof.views.tables.table import Cell, Column, Kind, Table, table_document

_LONGEST = 72
"""Letters of a cell of text; the rest is cut."""


def _text(table: Table) -> str:
    """The columns that have something to say, with their sentence before them."""
    shown = [
        at
        for at, column in enumerate(table.columns)
        if column.head and any(row[at] is not None for row in table.rows)
    ]
    columns = [table.columns[at] for at in shown]
    lines = [[column.head for column in columns]]
    lines += [[_shown(row[at], table.columns[at].kind) for at in shown] for row in table.rows]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    body = "".join(f"{_line(line, columns, widths)}\n" for line in lines) if table.rows else ""
    return f"{table.sentence}\n{body}"


def _csv(table: Table) -> str:
    """With a head; what is not known is empty, a list is JSON."""
    text = io.StringIO()
    written = csv.writer(text, lineterminator="\n")
    written.writerow(column.key for column in table.columns)
    for row in table.rows:
        written.writerow(inert(json.dumps(cell) if isinstance(cell, list) else cell) for cell in row)
    return text.getvalue()


def _json(table: Table) -> str:
    return json_text(table_document(table))


FORMS: Mapping[str, Callable[[Table], str]] = {"text": _text, "csv": _csv, "json": _json}

_FIGURES: Mapping[Kind, Callable[[Cell], str]] = {
    "text": str,
    "count": lambda cell: f"{cell:,}",
    "us": duration,
    "share": share,
    "number": mean,
    "bytes": size,
}


def _shown(cell: Cell, kind: Kind) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    text = json.dumps(cell, separators=(",", ":")) if isinstance(cell, list) else _FIGURES[kind](cell)
    text = plain(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _line(cells: Sequence[str], columns: Sequence[Column], widths: Sequence[int]) -> str:
    placed = [
        cell.ljust(width) if column.kind == "text" else cell.rjust(width)
        for cell, column, width in zip(cells, columns, widths, strict=True)
    ]
    return "  ".join(placed).rstrip()
