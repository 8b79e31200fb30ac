"""Windows as one page that can be sent to somebody: the tab, with everything inside the file.

It asks nothing of any server and works from a disk. Its text is ASCII, whatever names it holds,
so that no encoding of a terminal or a mail can damage it.
"""

from __future__ import annotations

import dataclasses
import html
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tbprof.errors import UsageError
from tbprof.file_names import REPORT_SUFFIX
from tbprof.folders import PACKAGE
from tbprof.harmless import plain
from tbprof.html_report.embedded_series import embedded_series
from tbprof.manual.pages import RULES_PAGE, all_pages
from tbprof.model import Report, Window
from tbprof.texts.findings.rule_pages import all_rules
from tbprof.version import __version__
from tbprof.views.checks.building import checks_view
from tbprof.views.export.finding_markdown import finding_text
from tbprof.views.pages.manual_page import manual_page
from tbprof.views.pages.rule_page import rule_page
from tbprof.views.source.building import source_files_view
from tbprof.views.source.source import SourceAnswer
from tbprof.views.window.answer import WindowAnswer
from tbprof.views.window.building import window_view
from tbprof.views.window.runs import runs_view

__all__ = ["MOST_TIMELINES", "MOST_WINDOWS", "html_page"]

MOST_WINDOWS = 40
"""Of a folder; each takes some 100 KB."""
MOST_TIMELINES = 4
"""Of a page, those of the newest windows."""

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline';"
    " base-uri 'none'; form-action 'none'"
)
_NO_RUN = ("", ".")
"""Of a file that is shown alone, and of what lies in the log directory itself."""
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
<script type="module">{script}</script>
</body>
</html>
"""


def html_page(windows: Sequence[tuple[Window, Report]], *, timelines: int = MOST_TIMELINES) -> str:
    """The page of some windows, which come by run, worker and time; at least one.

    Args:
        windows: With their reports.
        timelines: Of how many windows, the newest first, one step is carried as well.

    Raises:
        UsageError: This installation has no built web page.
    """
    named = [(_with_run(window), report) for window, report in windows]
    first, _ = named[0]
    name = first.run or first.window
    return _PAGE.format(
        policy=_POLICY,
        title=html.escape(plain(name)).encode("ascii", "xmlcharrefreplace").decode(),
        data=_data(named, timelines),
        script=_ascii(_bundle()).replace("</script", "<\\/script"),
    )


def _with_run(window: Window) -> Window:
    """What lies in the folder that was asked for has no run; away from there it has that folder's name."""
    path = window.trace_path or window.report_path
    if window.run not in _NO_RUN or path is None:
        return window
    return dataclasses.replace(window, run=Path(path).absolute().parent.name)


def _data(windows: Sequence[tuple[Window, Report]], timelines: int) -> str:
    """As JSON that no text in it can end: `<` is written as an escape."""
    listed = tuple(window for window, _ in windows)
    newest = sorted(listed, key=lambda window: -window.order_ns)[:timelines]
    content = {
        "runs": dataclasses.asdict(runs_view("", __version__, listed, ())),
        "windows": [_window(window, report, has_timeline=window in newest) for window, report in windows],
        **embedded_series(windows),
        "rules": [dataclasses.asdict(rule_page(words)) for words in all_rules()],
        "manual": _manual(),
    }
    # Where the page is printed to the log of a workflow, `##[` would begin a command.
    return json.dumps(content, allow_nan=False).replace("<", "\\u003c").replace("##[", "#\\u0023[")


def _manual() -> list[dict[str, object]]:
    """All pages but that of the rules, which the page carries one by one."""
    pages = [page for page in all_pages() if page.name != RULES_PAGE]
    return [dataclasses.asdict(manual_page(page, pages)) for page in pages]


def _window(window: Window, report: Report, *, has_timeline: bool) -> dict[str, object]:
    """What the plugin's routes would answer of it."""
    trace = window.trace_path if has_timeline else None
    of_trace = {} if trace is None or trace.endswith(REPORT_SUFFIX) else _of_trace(trace)
    place = {"run": window.run, "worker": window.worker, "window": window.window}
    view = window_view(report, **place)
    source = source_files_view(report)
    return {
        **place,
        "answer": dataclasses.asdict(WindowAnswer("ready", view, None, None)),
        "source": dataclasses.asdict(SourceAnswer("ready", source, None)),
        "findings": [dataclasses.asdict(finding_text(report, finding)) for finding in report.findings],
        "timeline": of_trace.get("timeline"),
        "tables": of_trace.get("tables"),
        "checks": dataclasses.asdict(checks_view(report)),
    }


def _of_trace(trace: str) -> dict[str, Any]:
    # What analyzes a trace takes longer to import than a page without one to be written.
    from tbprof.html_report.embedded_trace import embedded_trace

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
