"""A table as Markdown, and as HTML for a notebook or a page of its own."""

from __future__ import annotations

from typing import Any

from tbprof.escaping import escaped, markup, prose
from tbprof.texts.figures.quantities import duration, mean, share, size
from tbprof.views.tables.cells import Cell, Column, Table, written_list

_UNKNOWN = "—"

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; font: 14px/1.4 system-ui, sans-serif }}
table {{ border-collapse: collapse }}
th, td {{ padding: 3px 10px; text-align: left; border-bottom: 1px solid #8886; overflow-wrap: anywhere }}
th {{ position: sticky; top: 0; background: Canvas }}
.num {{ text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }}
</style>
</head>
<body>
{table}
</body>
</html>
"""


def table_markdown(table: Table) -> str:
    """Its sentence and, of the columns in which something is known, those that text has too."""
    columns = _shown(table)
    heads = [escaped(_head(column)) for _, column in columns]
    marks = ["---:" if column.kind != "text" else "---" for _, column in columns]
    lines = [prose(table.sentence), "", _row(heads), _row(marks)]
    lines += [_row([escaped(_cell(row[at], column)) for at, column in columns]) for row in table.rows]
    return "\n".join(lines) + "\n"


def table_html(table: Table) -> str:
    """The same as an element; ASCII, whatever names it holds."""
    columns = _shown(table)
    heads = "".join(f'<th scope="col"{_class(column)}>{markup(_head(column))}</th>' for _, column in columns)
    rows = "".join(
        f"<tr>{''.join(_html_cell(row[at], column) for at, column in columns)}</tr>\n" for row in table.rows
    )
    return (
        f"<table><caption>{markup(table.sentence)}</caption>\n"
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody></table>"
    )


def table_page(table: Table) -> str:
    """The same as a page that needs no server."""
    return _PAGE.format(title=f"{table.name} - tbprof", table=table_html(table))


def _shown(table: Table) -> list[tuple[int, Column[Any]]]:
    return [
        (at, column)
        for at, column in enumerate(table.columns)
        if column.head and any(row[at] is not None for row in table.rows)
    ]


def _head(column: Column[Any]) -> str:
    return column.shown_title


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _class(column: Column[Any]) -> str:
    return "" if column.kind == "text" else ' class="num"'


def _html_cell(cell: Cell, column: Column[Any]) -> str:
    # Names can be written from right to left.
    return f"<td{_class(column)}><bdi>{markup(_cell(cell, column))}</bdi></td>"


def _cell(cell: Cell, column: Column[Any]) -> str:
    if cell is None:
        return _UNKNOWN
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, list):
        return written_list(cell)
    figures = {"us": duration, "share": share, "number": mean, "bytes": size, "count": "{:,}".format}
    written = figures.get(column.kind, str)
    return str(written(cell))
