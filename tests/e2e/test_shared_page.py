"""The page that is sent to somebody, opened from the disk."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from recorded_runs import SAMPLES

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    trace = SAMPLES / "h100_bert_small_infer" / "h100_bert_small.json.gz"
    command = [sys.executable, "-m", "tbprof", "report", str(trace), "--format", "html"]
    page = tmp_path_factory.mktemp("shared") / "page.html"
    page.write_bytes(subprocess.run(command, check=True, capture_output=True).stdout)
    return page


def test_it_shows_the_tab_and_asks_nobody(page: Page, shared: pathlib.Path) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(shared.as_uri())
    expect(page.locator("h1")).to_contain_text("The GPU")
    expect(page.locator("nav .tabs a")).to_have_count(4)
    page.locator("nav a", has_text="Sync points").click()
    page.locator("tr[data-site]").first.click()
    page.locator(".drawer button", has_text="About SYN02").click()
    expect(page.locator(".drawer")).to_contain_text("When it stays silent")
    expect(page.locator("header")).to_contain_text("h100_bert_small_infer")
    expect(page.locator(".drawer button", has_text="Show in the timeline")).to_have_count(0)
    # A link that was copied from the tab may name the timeline.
    page.goto(f"{shared.as_uri()}#&p.tbprof.view=timeline")
    expect(page.locator("h1")).to_contain_text("The GPU")
    assert [url for url in asked if not url.startswith("file:")] == []
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
