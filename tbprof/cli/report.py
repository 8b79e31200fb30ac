"""`tbprof report PATH`: one window, or every window of a folder, as text, JSON, markdown or a page."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tbprof.cli.markdown import markdown
from tbprof.cli.plain_text import plain
from tbprof.cli.shared_page import shared_page
from tbprof.cli.terminal import terminal_text
from tbprof.errors import TbprofError, UsageError
from tbprof.file_names import REPORT_SUFFIX
from tbprof.model import SEVERITIES, Report, Severity, Window
from tbprof.report import build_report, looks_like_trace
from tbprof.store.cache import cached_report, keep_report
from tbprof.store.discovery import Discovery
from tbprof.store.windows import read_report, stored_report
from tbprof.texts.english import English
from tbprof.views.report_document import report_document, reports_document

if TYPE_CHECKING:
    from tbprof.cli.parsers import Commands

__all__ = ["add_to"]

FOUND = 1
_PROGRESS_FROM_BYTES = 50 * 1000 * 1000
_PROGRESS_EVERY_S = 0.5


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("report", help="say what makes the GPU wait in a trace or a log directory")
    parser.add_argument("path", type=Path, help="a trace, a stored report (*.tbprof.pb), or a folder of them")
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
    if _is_folder(options.path):
        if options.format == "html":
            raise UsageError(f"{options.path} is a folder: --format html takes one trace or report")
        reports = _reports_of_folder(options.path, use_cache=use_cache)
        _print_all(reports, options.format)
    else:
        reports = (_report_of_file(options.path, use_cache=use_cache),)
        _print_one(reports[0], options.format)
    return FOUND if options.fail_on and _is_found(reports, options.fail_on) else 0


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        # Too long a name, or a folder that may not be entered: reading it as a file says which.
        return False


def _report_of_file(path: Path, *, use_cache: bool) -> Report:
    if path.name.endswith(REPORT_SUFFIX):
        return read_report(str(path))
    kept = cached_report(str(path)) if use_cache else None
    if kept is not None:
        return kept
    report = build_report(path, progress=_progress(path), use_cache=use_cache)
    if use_cache:
        keep_report(str(path), report)
    return report


def _reports_of_folder(folder: Path, *, use_cache: bool) -> tuple[Report, ...]:
    """All windows that can be read; each that can't, or is left out, costs one line on stderr."""
    listing = Discovery(folder, looks_like_trace).find()
    for file in listing.skipped:
        sys.stderr.write(f"tbprof: {plain(file.path)}: {English().skipped(file.reason)}\n")
    reports = []
    for window in listing.windows:
        try:
            reports.append(_report_of_window(window, use_cache=use_cache))
        except TbprofError as error:
            sys.stderr.write(f"tbprof: {plain(str(error))}\n")
    if not reports:
        raise UsageError(f"there is no trace or report to read in {folder}: name another folder")
    return tuple(reports)


def _report_of_window(window: Window, *, use_cache: bool) -> Report:
    kept = stored_report(window) if use_cache or window.trace_path is None else None
    if kept is not None:
        return kept
    assert window.trace_path is not None, "a window has a report or a trace"
    return _report_of_file(Path(window.trace_path), use_cache=use_cache)


def _is_found(reports: tuple[Report, ...], at_least: Severity) -> bool:
    bad = SEVERITIES[: SEVERITIES.index(at_least) + 1]
    return any(finding.severity in bad for report in reports for finding in report.findings)


def _print_one(report: Report, form: str) -> None:
    if form == "json":
        sys.stdout.write(json.dumps(report_document(report, English())) + "\n")
    elif form == "html":
        sys.stdout.write(shared_page(report))
    else:
        sys.stdout.write(_text(report, form))


def _print_all(reports: tuple[Report, ...], form: str) -> None:
    if form == "json":
        sys.stdout.write(json.dumps(reports_document(reports, English())) + "\n")
    else:
        sys.stdout.write("\n".join(_text(report, form) for report in reports))


def _text(report: Report, form: str) -> str:
    return markdown(report) if form == "markdown" else terminal_text(report)


def _progress(path: Path) -> Callable[[int, int], None] | None:
    """A line on a terminal that is written over, for a large file only."""
    if not sys.stderr.isatty():
        return None
    shown_at = time.monotonic()

    def show(read_bytes: int, total_bytes: int) -> None:
        nonlocal shown_at
        if total_bytes < _PROGRESS_FROM_BYTES:
            return
        done = read_bytes >= total_bytes
        if done or time.monotonic() - shown_at > _PROGRESS_EVERY_S:
            shown_at = time.monotonic()
            line = f"reading {path.name}: {read_bytes / max(total_bytes, 1):.0%}"
            sys.stderr.write("\r" + (" " * len(line) + "\r" if done else line))

    return show
