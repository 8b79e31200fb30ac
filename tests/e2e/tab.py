"""The tab as a test opens and judges it."""

from __future__ import annotations

import urllib.parse

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import FrameLocator, Page, expect
from timeouts import PATIENCE_MS

IN_LIGHT = pytest.mark.parametrize("page", ["light"], indirect=True)
"""For what no theme changes."""

IN_BOTH_THEMES = pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
"""For one test of each view that looks at its colors, so that dark is never without any."""


def open_tab(page: Page, address: str, run: str = "", view: str = "", **place: str) -> Page:
    """Open the tab alone, at a run, a view and more if they are named, and wait until its trace is read."""
    page.goto(f"{address}/data/plugin_entry.html?name=tbprof{_place(run, view, place)}")
    _wait_until_read(page)
    return page


def open_in_tensorboard(
    page: Page, address: str, run: str = "", view: str = "", **place: str
) -> FrameLocator:
    """The same in TensorBoard's own page, which takes several times as long to start."""
    page.goto(f"{address}/{_place(run, view, place)}")
    frame = page.frame_locator('iframe[src*="name=tbprof"]')
    _wait_until_read(frame)
    return frame


def _place(run: str, view: str, place: dict[str, str]) -> str:
    named = {"run": run, "view": view, **place}
    return "#tbprof" + "".join(
        f"&p.tbprof.{k}={urllib.parse.quote(v, safe='')}" for k, v in named.items() if v
    )


def _wait_until_read(frame: Page | FrameLocator) -> None:
    expect(frame.locator("h1").first).to_be_visible(timeout=PATIENCE_MS)
    expect(frame.locator("#reading")).to_have_count(0, timeout=PATIENCE_MS)


def axe_violations(page: Page) -> str:
    """What axe finds in our own frame as it is now; "" if nothing."""
    own = next(frame for frame in page.frames if "name=tbprof" in frame.url)
    found = Axe().run(own)
    return str(found.generate_report()) if found.violations_count else ""
