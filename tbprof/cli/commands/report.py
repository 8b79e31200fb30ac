"""`tbprof report PATH`: one window, or every window of a folder, as text, JSON, markdown or a page."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tbprof.cli.input.reading import is_folder, report_of_file, windows_of_folder
from tbprof.cli.output.markdown import markdown
from tbprof.cli.output.stderr_messages import tell
from tbprof.cli.output.terminal import terminal_text
from tbprof.html_report.html_page import MOST_WINDOWS, html_page, window_of_report
from tbprof.model import SEVERITIES, Report, Severity, Window
from tbprof.standard_streams import put, reader_may_leave
from tbprof.views.export.report_document import report_document, reports_document

if TYPE_CHECKING:
    from tbprof.cli.commands.parsers import Commands

__all__ = ["add_to"]

FOUND = 1


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("report", help="say what makes the GPU wait in a trace or a log directory")
    parser.add_argument(
        "path", type=Path, help="a trace, a stored report (*.tbprof.pb), or a folder of them; - is stdin"
    )
    parser.add_argument("--format", choices=("text", "json", "markdown", "html"), default="text")
    parser.add_argument(
        "--fail-on",
        choices=SEVERITIES,
        metavar="SEVERITY",
        help=f"exit with 1 if a finding is at least this bad: {', '.join(SEVERITIES)}",
    )
    parser.add_argument("--no-cache", action="store_true", help="neither read nor write the cache of reports")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the report of a file, or of all windows of a folder.

    Raises:
        TbprofError: Nothing could be read.
    """
    use_cache = not options.no_cache
    if is_folder(options.path):
        windows = windows_of_folder(options.path, use_cache=use_cache)
        reports = tuple(report for _, report in windows)
        with reader_may_leave():
            _print_windows(windows, options.format)
    else:
        reports = (report_of_file(options.path, use_cache=use_cache),)
        with reader_may_leave():
            _print_one(reports[0], options.format)
    return FOUND if options.fail_on and _is_found(reports, options.fail_on) else 0


def _is_found(reports: tuple[Report, ...], at_least: Severity) -> bool:
    bad = SEVERITIES[: SEVERITIES.index(at_least) + 1]
    return any(finding.severity in bad for report in reports for finding in report.findings)


def _print_one(report: Report, form: str) -> None:
    if form == "json":
        put(json.dumps(report_document(report)) + "\n")
    elif form == "html":
        put(html_page([(window_of_report(report), report)]))
    else:
        put(_text(report, form))


def _print_page(windows: Sequence[tuple[Window, Report]]) -> None:
    """One page of the newest windows: a file that is mailed must not grow without end."""
    newest = sorted(windows, key=lambda one: one[0].order_ns)[-MOST_WINDOWS:]
    if len(newest) < len(windows):
        tell(f"the page holds the newest {MOST_WINDOWS} of {len(windows)} windows")
    put(html_page([one for one in windows if one in newest]))


def _print_windows(windows: Sequence[tuple[Window, Report]], form: str) -> None:
    reports = tuple(report for _, report in windows)
    if form == "html":
        _print_page(windows)
    elif form == "json":
        put(json.dumps(reports_document(reports)) + "\n")
    else:
        put("\n".join(_text(report, form) for report in reports))


def _text(report: Report, form: str) -> str:
    return markdown(report) if form == "markdown" else terminal_text(report)
