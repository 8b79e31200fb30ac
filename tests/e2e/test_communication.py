"""What a rank says to others, as a view of its own."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from tab import IN_BOTH_THEMES, IN_LIGHT, axe_violations, open_tab

pytestmark = pytest.mark.browser


@IN_BOTH_THEMES
def test_it_opens_with_what_nothing_covers_and_leaves_axe_nothing(page: Page, address: str) -> None:
    frame = open_tab(page, address, "exchanging", "communication")
    expect(frame.locator("h1")).to_contain_text("communication that no computing covers")
    row = frame.locator('table[aria-labelledby="collectives"] tbody tr').first
    expect(row).to_contain_text("all_reduce")
    expect(row).to_contain_text("0 (8 ranks)")
    assert axe_violations(page) == ""


@IN_LIGHT
def test_a_window_of_one_rank_alone_has_no_tab_for_it(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_transformer_clean")
    expect(frame.locator("nav .tabs a", has_text="Timeline")).to_have_count(1)
    expect(frame.locator("nav .tabs a", has_text="Communication")).to_have_count(0)


@IN_LIGHT
def test_the_timeline_has_a_lane_of_it(page: Page, address: str) -> None:
    frame = open_tab(page, address, "exchanging", "timeline")
    expect(frame.locator("main")).to_contain_text("nothing beside it")
