"""Names as people choose them: long, of any script, and markup that must stay text."""

from __future__ import annotations

import dataclasses
import pathlib

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from recorded_runs import SAMPLES
from tab import IN_LIGHT

from tbprof.html_report.html_page import html_page
from tbprof.html_report.page_windows import choose_windows
from tbprof.model import CodeShare, Report, Source
from tbprof.report import build_report
from tbprof.store.report_cache import window_of_report

pytestmark = pytest.mark.browser

NAMES = {
    "long": "a_name_without_any_place_to_break_it_" * 8,
    "chinese": "\u8bad\u7ec3\u5faa\u73af/\u6a21\u578b.py",
    "right_to_left": "\u05d0\u05d9\u05de\u05d5\u05df\u202e.py",
    "markup": "<img src=x onerror=alert(1)><b>bold</b>.py",
}


def named(name: str) -> Report:
    """A real report in which everything that a program names has this name."""
    report = build_report(SAMPLES / "sam_amg_a100" / "amg_HEAD.json.gz")
    source = Source(f"/{name}/{name}", 123456, name, exact=True, candidates=())
    sites = tuple(
        dataclasses.replace(site, source=(None, source)[at % 2], label=name, module=name, ops=(name, name))
        for at, site in enumerate(report.sites)
    )
    assert report.idle is not None
    places = tuple(dataclasses.replace(place, place=name) for place in report.idle.places)
    return dataclasses.replace(
        report,
        sites=sites,
        idle=dataclasses.replace(report.idle, places=places),
        code=(CodeShare("label", name, 1_000, 1_000, 1),),
        trace=dataclasses.replace(report.trace, worker=name, devices=(name,)),
    )


@IN_LIGHT
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_name_is_text_and_breaks_no_screen(page: Page, tmp_path: pathlib.Path, name: str) -> None:
    page.on("dialog", lambda dialog: pytest.fail(f"markup of a name ran: {dialog.message}"))
    file, report = tmp_path / "page.html", named(name)
    file.write_text(html_page(choose_windows([(window_of_report(report), report)], most=1)), encoding="ascii")
    page.goto(file.as_uri())
    for view in ("Overview", "Sync points", "Copies", "Source"):
        page.locator("nav a", has_text=view).click()
        expect(page.locator("nav [aria-current=page]")).to_contain_text(view)
        assert page.locator("img, main b b").count() == 0
        # What is too long is cut or scrolls in its own place: neither the page nor a pane gets wider.
        for pane in [page.locator("html"), *page.locator(".pane").all()]:
            assert pane.evaluate("pane => pane.scrollWidth <= pane.clientWidth"), view
    page.locator("nav a", has_text="Sync points").click()
    page.locator("tr[data-site]").nth(1).click()
    expect(page.locator(".drawer")).to_contain_text(name[:60])
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
