"""The page of memory in the tab."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from tab import IN_BOTH_THEMES, IN_LIGHT, axe_violations, open_tab

pytestmark = pytest.mark.browser


@IN_BOTH_THEMES
def test_a_moment_and_a_part_are_chosen_on_the_curve(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_bert_small_infer", "memory")
    expect(frame.locator("h1")).to_contain_text("GPU 0 holds at most 101.3")
    expect(frame.get_by_role("table", name="At the peak")).to_contain_text("from before the recording")
    expect(frame.get_by_role("grid", name="Allocations")).to_contain_text("aten::empty")
    curve = frame.get_by_role("slider")
    curve.click(position={"x": 40, "y": 90})
    expect(frame.locator("#holders-title")).to_contain_text("At this moment")
    assert axe_violations(page) == ""
    page.keyboard.press("Escape")
    expect(frame.locator("#holders-title")).to_contain_text("At the peak")
    page.keyboard.press("w")
    frame.get_by_role("button", name="This part in the timeline").click()
    expect(page).to_have_url(re.compile(r"view=timeline.*start=\d"))


@IN_LIGHT
def test_the_cpu_has_a_curve_of_its_own_and_rows_open(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_bert_small_infer", "memory")
    frame.get_by_role("group", name="Memory of").get_by_role("button", name="CPU").click()
    expect(frame.locator("h1")).to_contain_text("CPU holds at most 16")
    frame.get_by_role("row", name="aten::gelu").click()
    expect(frame.get_by_role("complementary")).to_contain_text("Called in")


@IN_LIGHT
def test_without_allocations_the_page_says_what_to_record(page: Page, address: str) -> None:
    frame = open_tab(page, address, "sam_amg_a100", "memory")
    expect(frame.locator(".answer")).to_contain_text("profile_memory=True")
