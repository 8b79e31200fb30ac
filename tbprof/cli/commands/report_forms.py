"""The forms of `tbprof report`, each in pieces as its windows come.

Each imports what it needs when it is asked for: to import all takes longer than to read a small window.
"""

from __future__ import annotations

import argparse
import dataclasses
import heapq
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from tbprof.cli.output_file import Problem, tell
from tbprof.cli.parser import wrapped
from tbprof.cli.reading import is_folder
from tbprof.cli.window_reading import WindowReader, WindowReport
from tbprof.escaping import json_text
from tbprof.model import Report, Window

if TYPE_CHECKING:
    from tbprof.views.run_time import RunTimeView

Windows: TypeAlias = Iterable[WindowReport]


def report_parts(windows: Windows, options: argparse.Namespace, reader: WindowReader) -> Iterator[str]:
    """What is printed of windows that come as they are read, in pieces.

    Args:
        windows: With their reports.
        options: Those of the command.
        reader: Where `windows` come from. What it met on its way is asked for once they have ended.
    """
    if options.summary:
        yield _summary(windows, options, reader.problems)
        return
    if options.format == "html":
        yield report_page(windows, reader, options.top)
        return
    if options.top is not None:
        windows = _most_idle(windows, options.top)
    is_one = len(options.paths) == 1 and not is_folder(options.paths[0])
    if options.format == "json":
        yield from _json(windows, reader, None if is_one else _whole_run(options), is_one=is_one)
    else:
        yield from _texts(windows, reader, options)


def _texts(windows: Windows, reader: WindowReader, options: argparse.Namespace) -> Iterator[str]:
    text, before = _markdown() if options.format == "markdown" else _terminal(options), ""
    fixed = _fixed_since()
    whole, has_windows = _whole_run(options), False
    if whole is not None and whole.comes_first:
        yield _whole_run_text(whole, options)
        before = "\n"
    for window, report in windows:
        yield before + text(report) + ("" if options.top is not None else fixed(window, report))
        before, has_windows = "\n", True
    if whole is not None and not whole.comes_first:
        yield before + _whole_run_text(whole, options)
        before = "\n"
    if reader.of_memory:
        from tbprof.cli.commands.report_memory import memory_texts

        for sentence in memory_texts(reader.of_memory, has_windows=has_windows):
            yield before + sentence
            before = "\n"
    if options.format == "markdown" and reader.problems:
        # A text on a terminal has them beside it, on stderr.
        from tbprof.cli.markdown import problems_markdown

        yield before + problems_markdown(reader.problems)


def _fixed_since() -> Callable[[Window, Report], str]:
    """A line after a window that came with a new commit: what was fixed, beside what was predicted."""
    from tbprof.views.fixes_made import Plan, fixes_by_commit, plan_of

    last: dict[tuple[str, str], Plan] = {}

    def text(window: Window, report: Report) -> str:
        now = plan_of(report)
        was = last.get((window.run, window.worker), now)
        last[window.run, window.worker] = now
        return "".join(
            f"\nSince the commit before: {made.sentence}\n" for _, made in fixes_by_commit([was, now])
        )

    return text


def _whole_run(options: argparse.Namespace) -> RunTimeView | None:
    """Where the time of the whole run went whose folder alone was named."""
    if len(options.paths) != 1 or options.top is not None or not is_folder(options.paths[0]):
        return None
    from tbprof.store.run_times import run_time_files, run_times_in

    if not run_time_files(options.paths[0]):
        return None
    from tbprof.views.run_time_view import run_time_view

    found = run_times_in(options.paths)
    for problem in found.problems:
        tell(problem)
    view = run_time_view(found.times, found.reports)
    return view if view.headline else None


def _whole_run_text(view: RunTimeView, options: argparse.Namespace) -> str:
    from tbprof.cli.run_time_text import run_time_text

    text = run_time_text(view)
    return f"```text\n{text}```\n" if options.format == "markdown" else text


def _summary(windows: Windows, options: argparse.Namespace, problems: Sequence[Problem]) -> str:
    """The runs as `tbprof fleet` lists them, of what was named; only a small part of each report is kept."""
    from tbprof.cli.commands.fleet import run_goodputs
    from tbprof.cli.fleet_jobs import jobs_of_runs
    from tbprof.cli.fleet_text import FORMS, fleet_json
    from tbprof.store.job_windows import owner_of, owner_of_run
    from tbprof.views.fleet_entries import FleetWindow, fleet_entries, newest_windows
    from tbprof.views.fleet_listing import FleetQuestion, fleet_view
    from tbprof.views.fleet_summary import summary_of
    from tbprof.views.job.rank_summary import rank_of_window

    summaries, ranks = {}, {}
    for window, report in windows:
        summaries[window], ranks[window] = summary_of(report), rank_of_window(window, report)
    in_order = sorted(summaries, key=lambda window: (window.run, window.worker, window.order_ns))
    is_log_directory = len(options.paths) == 1

    def owner(window: Window) -> str | None:
        """The owner; where several paths are named, a run begins with its path and tells none."""
        return owner_of_run(window.run, _path(window)) if is_log_directory else owner_of(_path(window))

    rows = [
        FleetWindow(window, count, first_ns, owner(window), summaries[window], "")
        for window, count, first_ns in newest_windows(in_order)
    ]
    entries = fleet_entries(rows, jobs_of_runs(rows, ranks), run_goodputs(rows))
    view = fleet_view(entries, FleetQuestion(), most=options.top)
    if options.format == "json":
        return fleet_json(view, problems)
    return FORMS[options.format](view, options.width)


def _path(window: Window) -> str:
    return window.report_path or window.trace_path or ""


def _most_idle(windows: Windows, number: int) -> Windows:
    from tbprof.views.lost_time import idle_share

    return heapq.nlargest(number, windows, key=lambda one: idle_share(one[1]) or 0.0)


def _json(
    windows: Windows, reader: WindowReader, whole: RunTimeView | None, *, is_one: bool
) -> Iterator[str]:
    """One object: of a file its report, else a list of them, what they lack, and where memory ran out."""
    from tbprof.views.report_document import SCHEMA, report_document

    before = "" if is_one else f'{{"schema": {SCHEMA}, "reports": ['
    for _, report in windows:
        yield before + json_text(report_document(report)).rstrip("\n")
        before = ", "
    if is_one:
        yield "\n"
        return
    ran_out = "[]"
    if reader.of_memory:
        from tbprof.cli.commands.report_memory import memory_json

        ran_out = memory_json(reader.of_memory)
    run_time = "null" if whole is None else json_text(dataclasses.asdict(whole)).rstrip("\n")
    problems = json_text([problem.document() for problem in reader.problems]).rstrip("\n")
    end = f'], "out_of_memory": {ran_out}, "run_time": {run_time}, "problems": {problems}}}\n'
    yield end if before == ", " else before + end


def _markdown() -> Callable[[Report], str]:
    from tbprof.cli.markdown import markdown

    return markdown


def _terminal(options: argparse.Namespace) -> Callable[[Report], str]:
    from tbprof.cli.terminal import terminal_text

    def text(report: Report) -> str:
        printed = terminal_text(report)
        shown = printed if options.output is not None or not wants_color() else colored(printed)
        return shown if options.width is None else wrapped(shown, options.width)

    return text


def report_page(windows: Windows, reader: WindowReader, top: int | None) -> str:
    """One page of the windows that matter most: a mailed file must not grow without end."""
    from tbprof.html_report.html_page import MOST_WINDOWS, html_page
    from tbprof.html_report.page_windows import choose_windows
    from tbprof.views.lost_time import idle_share

    if top is None:
        chosen = choose_windows(windows, reader.broken, most=MOST_WINDOWS, read_again=reader.read_again)
    else:
        chosen = choose_windows(
            windows,
            reader.broken,
            most=min(top, MOST_WINDOWS),
            loss=lambda report: idle_share(report) or 0.0,
            which="those in which the GPUs are idle most",
        )
    if chosen.note:
        tell(chosen.note)
    return html_page(chosen)


_BOLD, _RED, _YELLOW, _GREEN, _OFF = "\x1b[1m", "\x1b[31m", "\x1b[33m", "\x1b[32m", "\x1b[0m"

_SEVERITY = {"critical": _RED, "high": _RED, "medium": _YELLOW, "low": _GREEN}

_GRADED = re.compile(rf"(?<=[A-Z]{{3}}\d\d )({'|'.join(_SEVERITY)})\b")

_ACTION = re.compile(r"^  \d+\. .*$", re.MULTILINE)

_FIRST = re.compile(r"^First: .*$", re.MULTILINE)

_HEADS = 3
"""What it is of, an empty line, the verdict."""


def wants_color() -> bool:
    """Whether stdout is a terminal that shows colors, and nobody asked for none (no-color.org)."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    if os.name == "nt" and "WT_SESSION" not in os.environ:
        # Older consoles print the codes.
        return False
    return sys.stdout is not None and sys.stdout.isatty()


def colored(text: str) -> str:
    """The text of a report with its verdict and its actions in bold, and severities in their colors."""
    lines = text.split("\n", _HEADS)
    if len(lines) > _HEADS:
        lines[2] = f"{_BOLD}{lines[2]}{_OFF}"
    bold = _ACTION.sub(lambda found: f"{_BOLD}{found[0]}{_OFF}", "\n".join(lines))
    bold = _FIRST.sub(lambda found: f"{_GREEN}{found[0]}{_OFF}", bold)
    return _GRADED.sub(lambda found: f"{_SEVERITY[found[1]]}{found[1]}{_OFF}", bold)
