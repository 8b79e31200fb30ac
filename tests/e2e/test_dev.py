"""`npm run dev`: the tab on recorded answers, without TensorBoard."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect
from tab import IN_LIGHT

pytestmark = pytest.mark.browser

FRONTEND = pathlib.Path(__file__).parents[2] / "plugin_frontend"


@pytest.fixture(scope="module")
def dev_address() -> Iterator[str]:
    """Where the server says that it listens; a session of its own, since npm starts it in a child."""
    if shutil.which("npm") is None or not (FRONTEND / "node_modules").is_dir():
        message = "no npm, or no node_modules: run `npm ci` in plugin_frontend"
        if os.environ.get("TBPROF_REQUIRE_TOOLS") == "1":
            pytest.fail(message)
        pytest.skip(message)
    started = subprocess.Popen(
        ["npm", "run", "dev", "--", "--port", "0"],
        cwd=FRONTEND,
        env={**os.environ, "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert started.stdout is not None
    try:
        lines = (re.search(r"http://localhost:\d+/", line) for line in started.stdout)
        found = next((match for match in lines if match is not None), None)
        assert found is not None, "the server ended without an address"
        yield found[0]
    finally:
        os.killpg(started.pid, signal.SIGTERM)
        started.stdout.close()
        started.wait()


@IN_LIGHT
def test_every_view_that_needs_no_trace_shows_recorded_answers(page: Page, dev_address: str) -> None:
    # Wide enough for all views of a rank with allocations, so that none is in a menu.
    page.set_viewport_size({"width": 1600, "height": 720})
    page.goto(f"{dev_address}#tbprof&p.tbprof.run=training&p.tbprof.worker=node1_71_rank1")
    bar = page.locator("nav").first
    for view, shown in (
        ("Overview", "h1"),
        ("Sync points", "tr[data-site]"),
        ("Copies", "tr[data-site]"),
        ("Compare", ".card"),
        ("Trends", ".card"),
        ("Job", ".card"),
    ):
        bar.get_by_role("link", name=view).click()
        expect(page.locator(f"main {shown}").first).to_be_visible()
        expect(page.locator(".note.bad")).to_have_count(0)


@IN_LIGHT
def test_views_of_every_event_show_the_recorded_ones_of_one_trace(page: Page, dev_address: str) -> None:
    page.goto(f"{dev_address}#tbprof&p.tbprof.run=h100_bert_small_infer")
    bar = page.locator("nav").first
    for view, shown in (
        ("Operators", ".limit summary"),
        ("Kernels", "tr[data-row]"),
        ("Modules", "tr[data-node]"),
        ("Flame", ".icicle"),
    ):
        bar.get_by_role("link", name=view).click()
        expect(page.locator(f"main {shown}").first).to_be_visible()
        expect(page.locator(".note")).to_have_count(0)
