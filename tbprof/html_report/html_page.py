"""Windows as one page that can be sent to somebody: the tab, with everything inside the file.

It asks nothing of any server and works from a disk. Its text is ASCII, whatever names it holds,
so that no encoding of a terminal or a mail can damage it.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from tbprof.errors import UsageError
from tbprof.escaping import markup
from tbprof.file_names import REPORT_SUFFIX
from tbprof.folders import PACKAGE
from tbprof.html_report.page_windows import PageWindow, PageWindows, embedded_series
from tbprof.manual.pages import RULES_PAGE, all_pages
from tbprof.model import Report, Window
from tbprof.texts.problems import HELD
from tbprof.texts.rule_pages import all_rules
from tbprof.version import __version__
from tbprof.views.answer import WindowAnswer, problem_left_out, problem_with
from tbprof.views.checks import checks_view
from tbprof.views.finding_markdown import finding_text
from tbprof.views.overview import TrustRow
from tbprof.views.pages import manual_page, rule_page
from tbprof.views.runs import RunsView, runs_view
from tbprof.views.source import SourceAnswer
from tbprof.views.source_files_view import source_files_view
from tbprof.views.window import WindowView
from tbprof.views.window_view import window_view

MOST_WINDOWS = 40
"""The most windows of a folder; each takes some 100 KB."""
MOST_TIMELINES = 4
"""The most timelines of a page: those of the newest windows."""

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline';"
    " base-uri 'none'; form-action 'none'"
)
_MAX_ASCII = 0x7F
_MAX_SHORT_ESCAPE = 0xFFFF

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
</head>
<body>
<script type="application/json" id="tbprof-data">{data}</script>
{start}<script type="module">{script}</script>
</body>
</html>
"""


def html_page(windows: PageWindows, *, timelines: int = MOST_TIMELINES) -> str:
    """The page of some windows; at least one of them has a report.

    Args:
        windows: Of which the page holds all or some.
        timelines: Of how many windows, the newest first, one step is carried as well.

    Raises:
        UsageError: This installation has no built web page.
    """
    first = windows.rows[0].window
    name = first.run or first.window
    return _PAGE.format(
        policy=_POLICY,
        title=markup(name),
        data=_data(windows, timelines),
        start=_start(windows),
        script=_ascii(_bundle()).replace("</script", "<\\/script"),
    )


def _start(windows: PageWindows) -> str:
    """A script that opens the newest window that the page holds, where the newest of all is not held."""
    rows = windows.rows
    held = [row.window for row in rows if row.report is not None]
    if len(held) == len(rows):
        return ""
    view = _runs(held)
    run = next(run for run in view.runs if run.run == view.newest_run)
    worker = run.workers[0]
    names = {"run": run.run, "worker": worker.worker, "window": worker.windows[-1].window}
    place = "".join(f"&p.tbprof.{key}={quote(name, safe='')}" for key, name in names.items())
    return f'<script>location.hash || location.replace("#tbprof{place}")</script>\n'


def _data(windows: PageWindows, timelines: int) -> str:
    """JSON that no text in it can end: `<` is written as an escape."""
    rows = windows.rows
    held = [row.window for row in rows if row.report is not None]
    newest = sorted(held, key=lambda window: -window.order_ns)[:timelines]
    content = {
        "runs": dataclasses.asdict(_runs([row.window for row in rows])),
        "windows": [_window(row, windows, has_timeline=row.window in newest) for row in rows],
        **embedded_series(windows),
        "rules": [dataclasses.asdict(rule_page(words)) for words in all_rules()],
        "manual": _manual(),
    }
    # Where the page is printed to the log of a workflow, `##[` would begin a command.
    return json.dumps(content, allow_nan=False).replace("<", "\\u003c").replace("##[", "#\\u0023[")


def _runs(windows: Sequence[Window]) -> RunsView:
    """All of them at once, as there is nobody to ask for the next part of the list."""
    parts = [runs_view("", __version__, windows, ())]
    while (page := parts[-1].next_page) is not None:
        parts.append(runs_view("", __version__, windows, (), page=page))
    runs = tuple(run for part in parts for run in part.runs)
    return dataclasses.replace(parts[0], runs=runs, next_page=None)


def _manual() -> list[dict[str, object]]:
    """All pages but that of the rules, which the page carries one by one."""
    pages = [page for page in all_pages() if page.name != RULES_PAGE]
    return [dataclasses.asdict(manual_page(page, pages)) for page in pages]


def _window(row: PageWindow, windows: PageWindows, *, has_timeline: bool) -> dict[str, object]:
    """What the plugin's routes would answer of it; of one without a report why there is none."""
    place = {"run": row.window.run, "worker": row.window.worker, "window": row.window.window}
    if row.report is None:
        return place | _nothing(row, windows.note)
    return place | _whole(row.window, row.report, windows, has_timeline=has_timeline)


def _nothing(row: PageWindow, note: str) -> dict[str, object]:
    window, error = row.window, row.error
    problem = problem_left_out(window, note) if error is None else problem_with(window, error)
    return {
        "answer": dataclasses.asdict(WindowAnswer("broken", None, None, problem)),
        "source": None,
        "findings": [],
        "timeline": None,
        "tables": None,
        "checks": None,
    }


def _whole(window: Window, report: Report, windows: PageWindows, *, has_timeline: bool) -> dict[str, object]:
    trace = window.trace_path if has_timeline else None
    of_trace = {} if trace is None or trace.endswith(REPORT_SUFFIX) else _of_trace(trace)
    view = window_view(report, run=window.run, worker=window.worker, window=window.window)
    source = source_files_view(report)
    return {
        "answer": dataclasses.asdict(WindowAnswer("ready", _told(view, windows), None, None)),
        "source": dataclasses.asdict(SourceAnswer("ready", source, None)),
        "findings": [dataclasses.asdict(finding_text(report, finding)) for finding in report.findings],
        "timeline": of_trace.get("timeline"),
        "tables": of_trace.get("tables"),
        "checks": dataclasses.asdict(checks_view(report)),
    }


def _told(view: WindowView, windows: PageWindows) -> WindowView:
    """With how many windows the page holds, where it does not hold all."""
    if not windows.note:
        return view
    row = TrustRow("info", HELD, f"{windows.held:,} of {windows.total:,}", windows.note)
    return dataclasses.replace(
        view, overview=dataclasses.replace(view.overview, trust=(row, *view.overview.trust))
    )


def _of_trace(trace: str) -> dict[str, Any]:
    # What analyzes a trace takes longer to import than a page without one to be written.
    from tbprof.html_report.embedded_timeline import embedded_trace

    return embedded_trace(trace)


def _bundle() -> str:
    path = PACKAGE / "static" / "page.js"
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(
            "the web page is not built: run `npm ci && npm run build` in plugin_frontend, or install a wheel"
        ) from error


def _ascii(script: str) -> str:
    """The same program: characters beyond ASCII stand only within its strings, where they can be escaped."""
    return "".join(char if ord(char) <= _MAX_ASCII else _escaped(char) for char in script)


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code <= _MAX_SHORT_ESCAPE else f"\\u{{{code:x}}}"
