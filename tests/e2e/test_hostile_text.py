"""Payloads in all that a trace, a report and a folder can be called, in every view of the real tab."""

from __future__ import annotations

import pathlib
import re
import sys
from urllib.parse import quote

import pytest
from hostile_text import MARKUP, hostile_report, hostile_trace
from playwright.sync_api import Page, expect
from tab import IN_LIGHT
from tensorboard_server import tensorboard

pytestmark = [
    pytest.mark.browser,
    pytest.mark.exhaustive,
    pytest.mark.skipif(sys.platform == "win32", reason="no such file can be named there"),
]

LISTED = pathlib.Path(__file__).parents[2] / "plugin_frontend" / "src" / "model" / "views.ts"
DECLARED = LISTED.read_text(encoding="utf-8").partition("const DECLARED = {")[2]
VIEWS = re.findall(r"^  (\w+): {", DECLARED, re.M)
assert len(VIEWS) > 10
RAN = "() => top.ran || ({}).ran || window.ran || null"
MADE_OF_MARKUP = """() => [...document.querySelectorAll(
    "img, iframe, object, embed, base[href*=evil], link[href*=evil],"
    + "[onerror], [onload], a[href^='javascript:']"
)].map(element => element.outerHTML.slice(0, 100))"""


def address_of(server: str, **place: str) -> str:
    named = "".join(f"&p.tbprof.{name}={quote(value, safe='')}" for name, value in place.items())
    # Another address each time, so that the page is loaded anew.
    return f"{server}/data/plugin_entry.html?name=tbprof&view={place['view']}#tbprof{named}"


@pytest.fixture
def hostile(tmp_path: pathlib.Path) -> pathlib.Path:
    """Two runs with reports, one with a trace too, whose names are markup as well."""
    report, taken = hostile_report(MARKUP)
    assert taken > 60
    for name in ("<img src=x onerror=top.ran=1>", "__proto__"):
        run = tmp_path / "logs" / name
        run.mkdir(parents=True)
        (run / "v'\"><script>top.ran=1<.1752215573993169007.tbprof.pb").write_bytes(report)
    (run / "w<svg onload=top.ran=1>.1752215573993169006.trace.json").write_bytes(hostile_trace(MARKUP))
    (tmp_path / "logs" / "<b>.trace.json").write_text("<script>top.ran=1</script>", encoding="ascii")
    return tmp_path / "logs"


@IN_LIGHT
def test_no_payload_runs_or_asks_anybody_in_any_view(page: Page, hostile: pathlib.Path) -> None:
    asked, seen = list[str](), 0
    page.on("dialog", lambda dialog: pytest.fail(f"markup ran: {dialog.message}"))
    with tensorboard(hostile) as address:
        page.on("request", lambda request: asked.append(request.url))
        for run in sorted(path.name for path in hostile.iterdir() if path.is_dir()):
            for file in sorted((hostile / run).iterdir()):
                worker = file.name.partition(".1752")[0]
                for view in VIEWS:
                    place = {"worker": worker, "window": file.name, "site": "0", "filter": "a"}
                    page.goto(address_of(address, run=run, view=view, **place))
                    expect(page.locator("header.ctx")).to_be_visible()
                    # What the view shows takes a moment more, and some show nothing of a report alone.
                    page.wait_for_timeout(700)
                    assert page.evaluate(RAN) is None, (run, view)
                    assert page.evaluate(MADE_OF_MARKUP) == [], (run, view)
                    text = page.evaluate("() => document.body.innerText")
                    seen += any(payload in text for payload in MARKUP[:12])
        page.goto("about:blank")
        elsewhere = [url for url in asked if not url.startswith((address, "data:", "blob:", "about:"))]
    assert elsewhere == []
    assert seen > len(VIEWS)
