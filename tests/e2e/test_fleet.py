"""All runs: what each costs, how they are found, and where a row leads."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from tab import IN_BOTH_THEMES, IN_LIGHT, axe_violations, open_tab

pytestmark = pytest.mark.browser


@IN_BOTH_THEMES
def test_runs_are_found_sorted_and_opened(page: Page, address: str) -> None:
    frame = open_tab(page, address, "known", "fleet")
    rows = frame.locator("table.fleet tbody tr")
    expect(rows.filter(has_text="known_moved")).to_have_count(1)
    expect(frame.locator("h1")).to_contain_text("GPU-hours a day at this rate")
    assert axe_violations(page) == ""
    frame.get_by_role("button", name="Busy").last.click()
    expect(frame.locator("th[aria-sort=ascending]")).to_contain_text("Busy")
    frame.locator("#filter").fill("late_metrics.py")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("4f1c2a9")
    with page.expect_download() as downloaded:
        frame.get_by_role("link", name="CSV").click()
    assert downloaded.value.path().read_text(encoding="utf-8").splitlines()[1].startswith("known_moved,")
    rows.locator(".lost a").click()
    expect(frame.locator("header.ctx")).to_contain_text("known_moved")
    expect(frame.locator("nav [aria-current=page]")).to_have_text("Overview")
    expect(frame.locator(".drawer")).to_be_visible()


@IN_LIGHT
def test_a_link_opens_what_was_seen(page: Page, address: str) -> None:
    frame = open_tab(page, address, "known", "fleet", filter="SYN", ranked="run.up")
    expect(frame.locator("#filter")).to_have_value("SYN")
    expect(frame.locator("th[aria-sort=descending]")).to_contain_text("Run")
    expect(frame.locator("table.fleet tbody tr").filter(has_text="known").first).to_be_visible()
