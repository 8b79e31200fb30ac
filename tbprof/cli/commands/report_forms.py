"""The forms of `tbprof report`, each in pieces as its windows come.

Each imports what it needs when it is asked for: to import all takes longer than to read a small window.
"""

from __future__ import annotations

import argparse
import heapq
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from tbprof.cli.input.reading import is_folder
from tbprof.cli.input.window_reading import WindowReport
from tbprof.cli.output.colour import coloured, wants_colour
from tbprof.cli.output.stderr_messages import tell
from tbprof.harmless import json_text
from tbprof.model import Report

__all__ = ["report_parts"]

Windows: TypeAlias = Iterable[WindowReport]


def report_parts(windows: Windows, options: argparse.Namespace) -> Iterator[str]:
    """What is printed of windows that come as they are read, in pieces."""
    if options.summary:
        yield _summary(windows, options)
        return
    if options.top is not None:
        windows = _most_idle(windows, options.top)
    is_one = len(options.paths) == 1 and not is_folder(options.paths[0])
    if options.format == "html":
        yield _page(windows)
    elif options.format == "json":
        yield from _json(windows, is_one=is_one)
    else:
        text = _markdown() if options.format == "markdown" else _terminal(options)
        for number, (_, report) in enumerate(windows):
            yield f"\n{text(report)}" if number else text(report)


def _summary(windows: Windows, options: argparse.Namespace) -> str:
    from tbprof.cli.output.summary_text import summary_csv, summary_json, summary_text
    from tbprof.views.export.run_summary import run_summaries

    form = {"text": summary_text, "csv": summary_csv, "json": summary_json}[options.format]
    return form(run_summaries(windows)[: options.top])


def _most_idle(windows: Windows, number: int) -> Windows:
    from tbprof.views.export.run_summary import idle_share

    return heapq.nlargest(number, windows, key=lambda one: idle_share(one[1]) or 0.0)


def _json(windows: Windows, *, is_one: bool) -> Iterator[str]:
    """One object: of a file its report, else a list of them."""
    from tbprof.views.export.report_document import SCHEMA, report_document

    before = "" if is_one else f'{{"schema": {SCHEMA}, "reports": ['
    for _, report in windows:
        yield before + json_text(report_document(report)).rstrip("\n")
        before = ", "
    yield "\n" if is_one else "]}\n"


def _markdown() -> Callable[[Report], str]:
    from tbprof.cli.output.markdown import markdown

    return markdown


def _terminal(options: argparse.Namespace) -> Callable[[Report], str]:
    from tbprof.cli.output.terminal import terminal_text

    if options.output is not None or not wants_colour():
        return terminal_text
    return lambda report: coloured(terminal_text(report))


def _page(windows: Windows) -> str:
    """One page of the windows in which the GPUs compute least: a mailed file must not grow without end."""
    from tbprof.html_report.html_page import MOST_WINDOWS, html_page
    from tbprof.views.export.run_summary import lost_share

    kept: list[tuple[float, int, int, WindowReport]] = []
    left_out = 0
    for number, (window, report) in enumerate(windows):
        heapq.heappush(kept, (lost_share(report), window.order_ns, number, (window, report)))
        if len(kept) > MOST_WINDOWS:
            heapq.heappop(kept)
            left_out += 1
    if left_out:
        total = MOST_WINDOWS + left_out
        tell(f"the page holds {MOST_WINDOWS} of {total} windows, those in which the GPUs compute least")
    return html_page([one for *_, one in sorted(kept, key=lambda one: one[2])])
