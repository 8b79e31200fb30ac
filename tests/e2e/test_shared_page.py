"""The page that is sent to somebody, opened from the disk."""

from __future__ import annotations

import pathlib
import subprocess
import sys
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from job_scenes import write_job
from playwright.sync_api import Page, expect
from recorded_runs import SAMPLES

from tbprof.cli.window_reading import FolderWindows
from tbprof.html_report.html_page import html_page
from tbprof.html_report.page_windows import choose_windows

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
    expect(page.locator("nav .tabs a")).to_have_count(8)
    page.locator("nav a", has_text="Sync points").click()
    page.locator("tr[data-site]").first.click()
    page.locator(".drawer button", has_text="About SYN02").click()
    expect(page.locator(".drawer")).to_contain_text("When it stays silent")
    expect(page.locator("header")).to_contain_text("h100_bert_small_infer")
    # A link that was copied from the tab may name what the page has not.
    page.goto(f"{shared.as_uri()}#&p.tbprof.view=compare")
    expect(page.locator("h1")).to_contain_text("The GPU")
    page.goto(f"{shared.as_uri()}#tbprof&p.tbprof.view=kernels&p.tbprof.row=0")
    expect(page.locator(".data-table tr[data-row]")).to_have_count(11)
    expect(page.locator(".drawer")).to_contain_text("Shared memory")
    page.goto(f"{shared.as_uri()}#tbprof&p.tbprof.view=timeline")
    expect(page.locator(".timeline")).to_contain_text("This page carries")
    expect(page.locator("canvas.lanes")).not_to_have_attribute("data-drawn", "0")
    page.keyboard.press("g")
    expect(page.locator(".selection")).to_contain_text("The GPU did nothing for")
    page.keyboard.press("w")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_role("button", name="Perfetto")).to_have_count(0)
    assert [url for url in asked if not url.startswith("file:")] == []
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_a_site_tells_what_to_do_and_what_happens_before_its_figures(
    page: Page, shared: pathlib.Path
) -> None:
    page.set_viewport_size({"width": 1100, "height": 700})
    page.goto(f"{shared.as_uri()}#tbprof&p.tbprof.view=syncs&p.tbprof.site=0")
    drawer = page.locator(".drawer")
    expect(drawer.locator(".example h4")).to_have_text("Example")
    heads = [text.split(",")[0] for text in drawer.locator("h3").all_inner_texts()]
    assert heads[1:4] == ["Source", "What happens", "Fix"]
    assert heads[-1] == "Figures of the window"
    told = drawer.locator(".remarks li")
    expect(told.first).to_contain_text("The host waits")
    expect(drawer.locator("svg[role=img] circle")).to_have_count(told.count())
    assert drawer.evaluate("pane => pane.scrollWidth <= pane.clientWidth")
    assert drawer.locator("pre").evaluate_all(
        "blocks => blocks.every(one => one.scrollWidth <= one.clientWidth)"
    )
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_of_some_windows_says_so_and_every_rank_leads_somewhere(
    page: Page, tmp_path: pathlib.Path, scheme: Literal["light", "dark"]
) -> None:
    write_job(tmp_path / "run", 3)
    chosen = choose_windows(FolderWindows(tmp_path, use_cache=False).windows(), most=1)
    shared = tmp_path / "page.html"
    shared.write_text(html_page(chosen, timelines=0))
    page.emulate_media(color_scheme=scheme)
    page.goto(shared.as_uri())
    expect(page.locator(".checks li", has_text="Windows in this page")).to_contain_text("1 of 3")
    page.locator("nav a", has_text="Job").click()
    expect(page.locator("h1")).to_contain_text("rank 1, which is late by")
    expect(page.locator(".note")).to_contain_text("This page holds 1 of 3 windows")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    told = []
    for rank in range(3):
        page.locator("table button.link", has_text=f"rank {rank}").first.click()
        told.append(page.locator("h1").inner_text())
        page.go_back()
        page.go_back()
    assert told.count("This window is left out of this page") == 2
