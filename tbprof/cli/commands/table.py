"""`tbprof table NAME FILE`: one table of a trace, as text, CSV, JSON, Markdown or HTML."""

from __future__ import annotations

import argparse
import csv
import dataclasses
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tbprof.cli.output_file import tell
from tbprof.cli.parser import add_top
from tbprof.cli.reading import as_file, is_folder, path_of, progress_of
from tbprof.errors import UsageError
from tbprof.escaping import inert, json_text, plain
from tbprof.html_report.table_markup import table_markdown, table_page
from tbprof.report import Facts, Tables, open_facts
from tbprof.standard_streams import put, reader_may_leave
from tbprof.texts.figures.quantities import duration, mean, share, size
from tbprof.texts.finding_notes import CUT_OFF
from tbprof.views.tables.cells import Cell, Column, Kind, Table, table_document
from tbprof.views.tables.comparison import compare_tables, step_times
from tbprof.views.tables.tables import TABLES

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands


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


def _line(cells: Sequence[str], columns: Sequence[Column[Any]], widths: Sequence[int]) -> str:
    placed = [
        cell.ljust(width) if column.kind == "text" else cell.rjust(width)
        for cell, column, width in zip(cells, columns, widths, strict=True)
    ]
    return "  ".join(placed).rstrip()


_FORMS = {**FORMS, "markdown": table_markdown, "html": table_page}
_SCOPES = ("trace", "steps")
_GROUPINGS = ("name", "shapes", "stack", "module", "label", "step")


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("table")
    parser.add_argument("table", choices=tuple(TABLES), metavar="NAME", help=", ".join(TABLES))
    parser.add_argument("file", type=path_of, metavar="FILE", help="a trace; - is stdin")
    parser.add_argument(
        "--by",
        choices=_GROUPINGS,
        default="name",
        help="what makes one row of operators or memory (default: name)",
    )
    parser.add_argument(
        "--scope",
        choices=_SCOPES,
        help="the whole trace, or only what belongs to its steps (default: trace; with --against steps)",
    )
    parser.add_argument("--format", choices=tuple(_FORMS), default="text", help="(default: text)")
    parser.add_argument(
        "--against",
        type=path_of,
        metavar="FILE",
        help="an earlier trace: what each row adds to the difference",
    )
    add_top(parser, "only the N first rows")
    parser.add_argument("--no-cache", action="store_true", help="neither read nor write the cache of traces")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the table.

    Raises:
        TbprofError: The file gives no such table.
    """
    source = TABLES[options.table]
    paths = [options.file] if options.against is None else [options.against, options.file]
    windows = [facts_of_file(path, tables=source.reads, use_cache=not options.no_cache) for path in paths]
    for facts in windows:
        if facts.trace.is_cut_off:
            tell(f"{facts.trace.path}: {CUT_OFF}")
    # What lies outside the steps would count as part of one.
    compares_steps = options.against is not None and all(facts.steps.recorded for facts in windows)
    scope = options.scope or ("steps" if compares_steps else "trace")
    in_steps = scope == "steps"
    tables = [source.make(facts, options.by, in_steps=in_steps) for facts in windows]
    table = tables[-1]
    if options.against is not None:
        table = compare_tables(tables[0], table, step_times(windows, in_steps=in_steps))
    table = dataclasses.replace(table, rows=table.rows[: options.top])
    with reader_may_leave():
        put(_FORMS[options.format](table))
    return 0


def facts_of_file(path: Path, *, tables: Tables, use_cache: bool) -> Facts:
    """Read a trace; how far it is is shown on a terminal.

    Raises:
        TbprofError: The file gives nothing.
    """
    if is_folder(path):
        raise UsageError(f"{path} is a folder: name one trace in it")
    with as_file(path) as file:
        # What came through a pipe has a name that will never be asked for again.
        use_cache = use_cache and file == path
        return open_facts(file, tables=tables, use_cache=use_cache, progress=progress_of(path))
