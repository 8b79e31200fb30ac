"""`tbprof table NAME FILE`: one table of a trace, as text, CSV, JSON, Markdown or HTML."""

from __future__ import annotations

import argparse
import dataclasses
from typing import TYPE_CHECKING

from tbprof.cli.commands.parsers import add_top
from tbprof.cli.input.places import path_of
from tbprof.cli.input.trace_facts import facts_of_file
from tbprof.cli.output.stderr_messages import tell
from tbprof.cli.output.tables import FORMS
from tbprof.html_report.table_markup import table_markdown, table_page
from tbprof.standard_streams import put, reader_may_leave
from tbprof.texts.findings.left_out import CUT_OFF
from tbprof.views.tables.comparison import compare_tables
from tbprof.views.tables.step_time import step_times
from tbprof.views.tables.tables import TABLES

if TYPE_CHECKING:
    from tbprof.cli.commands.parsers import Commands

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
