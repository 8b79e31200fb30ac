"""Where the tab is shown besides TensorBoard's own page: notebooks, frames, and pages with strict rules."""

from __future__ import annotations

import html
import pathlib
import urllib.parse
from collections.abc import Iterator

import pytest
from playwright.sync_api import FrameLocator, Page, expect
from source_scene import known_training
from tab import IN_LIGHT, PATIENCE_MS
from tensorboard_server import tensorboard

from tbprof.html_report.loaded_report import LoadedReport

pytestmark = pytest.mark.browser

PREFIX = "/user/me/proxy/6006"


@pytest.fixture(scope="module")
def proxied(logdir: pathlib.Path) -> Iterator[str]:
    """TensorBoard under the path that a notebook server gives it."""
    with tensorboard(logdir, "--path_prefix", PREFIX) as address:
        yield f"{address}{PREFIX}"


def framed(page: Page, address: str, source: str) -> FrameLocator:
    """Open a page of the same host that shows another one in a frame, as `%tensorboard` does."""
    text = f'<!doctype html><title>notebook</title><h1>cell</h1><iframe id="cell" {source}></iframe>'
    page.route("**/notebook", lambda route: route.fulfill(body=text, content_type="text/html"))
    page.set_viewport_size({"width": 1600, "height": 1000})
    page.goto(f"{address}/notebook")
    page.locator("#cell").evaluate("frame => { frame.width = 1500; frame.height = 800; }")
    return page.frame_locator("#cell")


@IN_LIGHT
def test_in_the_frame_of_a_notebook_the_tab_works(page: Page, proxied: str) -> None:
    place = "#tbprof&p.tbprof.run=h100_bert_small_infer&p.tbprof.view=syncs"
    cell = framed(page, proxied, f'src="{html.escape(proxied)}/{place}"')
    tab = cell.frame_locator('iframe[src*="name=tbprof"]')
    tab.locator("tr[data-site]").first.click(timeout=PATIENCE_MS)
    expect(tab.locator(".drawer")).to_contain_text("SYN02")
    # What is shown stands in the address of TensorBoard's own frame, and the notebook's is left alone.
    assert page.url.endswith("/notebook")
    assert any("p.tbprof.site=0" in frame.url for frame in page.frames)


@IN_LIGHT
def test_a_loaded_report_shows_itself_in_a_notebook(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    shown = LoadedReport(known_training())._repr_html_()
    page.set_content(f'<!doctype html><html lang="en"><title>notebook</title><body>{shown}</body>')
    cell = page.frame_locator("iframe")
    expect(cell.locator("h1")).to_contain_text("The GPU is idle")
    for view in ("Sync points", "Source"):
        cell.locator("nav a", has_text=view).click()
        expect(cell.locator("nav [aria-current=page]")).to_contain_text(view)
    expect(cell.locator("li[data-line]").first).to_be_visible()
    assert [url for url in asked if urllib.parse.urlsplit(url).scheme.startswith("http")] == []


@IN_LIGHT
def test_a_page_that_allows_only_its_own_host_shows_every_view(page: Page, address: str) -> None:
    broken: list[str] = []
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.expose_function("note", lambda directive: broken.append(directive))
    page.add_init_script(
        "document.addEventListener('securitypolicyviolation', event => note(event.violatedDirective))"
    )
    start = "import { render } from './index.js'; render();"
    page.route("**/start.js", lambda route: route.fulfill(body=start, content_type="text/javascript"))
    entry = "<!doctype html><title>strict</title><script type='module' src='start.js'></script>"
    headers = {"Content-Security-Policy": "default-src 'self'"}
    page.route(
        "**/strict.html",
        lambda route: route.fulfill(body=entry, headers=headers, content_type="text/html"),
    )
    page.goto(f"{address}/data/plugin/tbprof/strict.html#tbprof&p.tbprof.run=h100_bert_small_infer")
    expect(page.locator(".head h1")).to_be_visible(timeout=PATIENCE_MS)
    for view in page.locator("nav .tabs a").all():
        view.click()
        expect(page.locator("nav [aria-current=page]")).to_have_count(1)
        expect(page.locator("main .skel")).to_have_count(0, timeout=PATIENCE_MS)
    assert page.locator("nav .tabs a").count() >= 5
    assert broken == []
    assert {urllib.parse.urlsplit(url).hostname for url in asked} == {"localhost"}
