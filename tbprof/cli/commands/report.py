"""`tbprof report PATH...`: windows and runs, as text, JSON, CSV, markdown or a page.

Each form imports what it needs when it is printed: to import all takes longer than to read a small window.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tbprof.cli.input.parquet_magic import is_parquet
from tbprof.cli.input.reading import is_folder, windows_of_paths
from tbprof.cli.output.colour import coloured, wants_colour
from tbprof.cli.output.stderr_messages import tell
from tbprof.errors import UsageError
from tbprof.model import SEVERITIES, Report, Severity, Window
from tbprof.standard_streams import put, reader_may_leave

if TYPE_CHECKING:
    from tbprof.cli.commands.parsers import Commands

__all__ = ["add_to"]

FOUND = 1
_COULD_NOT = 2

_JOB_FORMS = ("text", "json")

_SUMMARY_FORMS = ("text", "csv", "json")

Windows = Sequence[tuple[Window, Report]]


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("report")
    parser.add_argument(
        "paths",
        type=Path,
        nargs="+",
        metavar="PATH",
        help="a trace, a stored report (*.tbprof.pb), or a folder of them; - is stdin; or a table of a "
        "job's operations (Parquet)",
    )
    parser.add_argument("--format", choices=("text", "json", "csv", "markdown", "html"), default="text")
    parser.add_argument("--summary", action="store_true", help="one line a run, the GPUs idle most first")
    parser.add_argument("--top", type=int, metavar="N", help="of windows, or runs, the N that are idle most")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write there instead of to stdout")
    parser.add_argument(
        "--fail-on",
        choices=SEVERITIES,
        metavar="SEVERITY",
        help=f"exit with 1 if a finding is at least this bad: {', '.join(SEVERITIES)}",
    )
    parser.add_argument("--no-cache", action="store_true", help="neither read nor write the cache of reports")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the report of a file, or of all windows of files and folders; 2 where one could not be read.

    Raises:
        TbprofError: Nothing could be read, or what is asked for can't be had together.
    """
    _check(options)
    for table in filter(is_parquet, options.paths):
        _print(_job_text(table, options), options)
        return 0
    windows, has_failed = windows_of_paths(options.paths, use_cache=not options.no_cache)
    is_one = len(options.paths) == 1 and not is_folder(options.paths[0])
    _print(_summary(windows, options) if options.summary else _text(windows, options, is_one=is_one), options)
    if has_failed:
        return _COULD_NOT
    return FOUND if options.fail_on and _is_found(windows, options.fail_on) else 0


def _print(text: str, options: argparse.Namespace) -> None:
    if options.output is not None:
        _write(options.output, text)
    else:
        with reader_may_leave():
            put(text)


def _job_text(path: Path, options: argparse.Namespace) -> str:
    """Of a table of a job's operations, which is no trace and has no windows."""
    if len(options.paths) > 1 or options.summary or options.fail_on or options.format not in _JOB_FORMS:
        raise UsageError(
            f"{path} is a table of a job's operations: name it alone, with --format text or json"
        )
    from tbprof.cli.output.stragglers_text import stragglers_json, stragglers_text
    from tbprof.job.operations.parquet_file import read_operation_table
    from tbprof.job.operations.what_if import analyze_stragglers
    from tbprof.views.job.stragglers_view import stragglers_view

    table = read_operation_table(path)
    view = stragglers_view(str(path), table, analyze_stragglers(table))
    return stragglers_json(view) if options.format == "json" else stragglers_text(view)


def _check(options: argparse.Namespace) -> None:
    if options.top is not None and options.top < 1:
        raise UsageError(f"--top {options.top} shows nothing: give 1 or more")
    if options.summary and options.format not in _SUMMARY_FORMS:
        raise UsageError(f"--summary has no {options.format}: give {', '.join(_SUMMARY_FORMS)}")
    if options.format == "csv" and not options.summary:
        raise UsageError("only --summary is a table: give --format json, or --summary")


def _is_found(windows: Windows, at_least: Severity) -> bool:
    bad = SEVERITIES[: SEVERITIES.index(at_least) + 1]
    return any(finding.severity in bad for _, report in windows for finding in report.findings)


def _summary(windows: Windows, options: argparse.Namespace) -> str:
    from tbprof.cli.output.summary_text import summary_csv, summary_json, summary_text
    from tbprof.views.export.run_summary import run_summaries

    form = {"text": summary_text, "csv": summary_csv, "json": summary_json}[options.format]
    return form(run_summaries(windows)[: options.top])


def _text(windows: Windows, options: argparse.Namespace, *, is_one: bool) -> str:
    if options.top is not None:
        windows = _most_idle(windows, options.top)
    reports = tuple(report for _, report in windows)
    if options.format == "html":
        return _page(windows)
    if options.format == "json":
        return _json(reports, is_one=is_one)
    if options.format == "markdown":
        from tbprof.cli.output.markdown import markdown

        return "\n".join(markdown(report) for report in reports)
    return _terminal(reports, has_colour=options.output is None and wants_colour())


def _most_idle(windows: Windows, number: int) -> Windows:
    from tbprof.views.export.run_summary import idle_share

    return sorted(windows, key=lambda one: -(idle_share(one[1]) or 0.0))[:number]


def _json(reports: Sequence[Report], *, is_one: bool) -> str:
    from tbprof.views.export.report_document import report_document, reports_document

    return json.dumps(report_document(reports[0]) if is_one else reports_document(tuple(reports))) + "\n"


def _terminal(reports: Sequence[Report], *, has_colour: bool) -> str:
    from tbprof.cli.output.terminal import terminal_text

    texts = (terminal_text(report) for report in reports)
    return "\n".join(coloured(text) if has_colour else text for text in texts)


def _page(windows: Windows) -> str:
    """One page of the newest windows: a file that is mailed must not grow without end."""
    from tbprof.html_report.html_page import MOST_WINDOWS, html_page

    newest = sorted(windows, key=lambda one: one[0].order_ns)[-MOST_WINDOWS:]
    if len(newest) < len(windows):
        tell(f"the page holds the newest {MOST_WINDOWS} of {len(windows)} windows")
    return html_page([one for one in windows if one in newest])


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{path} can't be written ({error.strerror}): name another file") from error
