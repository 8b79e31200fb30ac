"""The tables of operators and kernels in the tab."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from tab import IN_BOTH_THEMES, IN_LIGHT, axe_violations, open_tab

pytestmark = pytest.mark.browser

RUN = "h100_bert_small_infer"


@IN_LIGHT
def test_operators_are_sorted_filtered_and_grouped_and_the_link_keeps_it(page: Page, address: str) -> None:
    frame = open_tab(page, address, RUN, "operators")
    rows = frame.locator(".data-table tr[data-row]")
    expect(frame.locator("h1")).to_contain_text("aten::addmm, aten::_flash_attention_forward and")
    expect(rows.first).to_contain_text("aten::addmm")
    frame.get_by_role("button", name="Calls").click()
    expect(rows.first).to_contain_text("aten::view")
    frame.get_by_role("button", name="Shapes").click()
    page.keyboard.press("/")
    page.keyboard.type("addmm")
    expect(frame.get_by_role("status").filter(has_text="rows")).to_have_text("4 of 65 rows")
    frame.get_by_role("button", name="Columns").click()
    frame.get_by_role("checkbox", name="Shapes of its").uncheck()
    frame.get_by_role("checkbox", name="GPU p90").check()
    page.keyboard.press("Escape")
    link = page.url
    assert "columns=calls%2C" in link
    page.goto("about:blank")
    page.goto(link)
    expect(rows).to_have_count(4)
    heads = frame.get_by_role("columnheader")
    expect(heads.filter(has_text="GPU p90, µs")).to_have_count(1)
    expect(heads.filter(has_text="Shapes")).to_have_count(0)


@IN_LIGHT
def test_a_row_leads_to_its_kernels_and_to_the_timeline(page: Page, address: str) -> None:
    frame = open_tab(page, address, RUN, "operators")
    frame.locator(".data-table tr[data-row]").first.click()
    drawer = frame.locator(".drawer")
    expect(drawer.get_by_role("heading", name="Called in")).to_be_visible()
    expect(drawer).to_contain_text("modeling_bert.py:364")
    page.keyboard.press("j")
    expect(drawer.locator("h2")).to_have_text("aten::_flash_attention_forward")
    drawer.get_by_role("button", name=re.compile("^flash_fwd_kernel")).click()
    expect(frame.locator("h1")).to_contain_text("58 of 60 kernels run under 10 µs")
    frame.locator(".data-table tr[data-row]").first.click()
    expect(drawer.get_by_role("heading", name="Whole name")).to_be_visible()
    drawer.get_by_role("button", name=re.compile("^the median one")).click()
    expect(frame.locator(".selection")).to_contain_text("flash_fwd_kernel")


@IN_BOTH_THEMES
def test_kernels_with_a_row_and_their_columns_leave_axe_nothing(page: Page, address: str) -> None:
    frame = open_tab(page, address, RUN, "kernels", row="0")
    expect(frame.locator(".drawer").get_by_role("heading", name="Launched by")).to_be_visible()
    frame.get_by_role("button", name="Columns").click()
    frame.locator(".sequences summary").first.click()
    assert axe_violations(page) == ""


@IN_BOTH_THEMES
def test_the_roofline_lists_what_is_furthest_above_its_limit(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 1000})
    frame = open_tab(page, address, RUN, "operators")
    expect(frame.get_by_role("img", name="Roofline")).to_be_visible()
    worst = frame.get_by_role("table", name="Most time above the limit").get_by_role("button").first
    expect(worst).to_have_text("aten::linear")
    assert axe_violations(page) == ""
    worst.click()
    expect(frame.locator(".data-table tr[data-row]").first).to_contain_text("aten::linear")


@IN_BOTH_THEMES
def test_modules_are_a_drawing_and_a_tree_that_leave_axe_nothing(page: Page, address: str) -> None:
    frame = open_tab(page, address, RUN, "modules")
    rows = frame.locator(".modules-table tr[data-node]")
    expect(rows.first).to_contain_text("BertLMHeadModel_0")
    layers = rows.filter(has_text="BertLayer_0-3")
    expect(layers).to_contain_text("\u00d7 4")
    layers.get_by_role("button", name="Inside").click()
    expect(rows.filter(has_text="BertSdpaSelfAttention")).to_have_count(0)
    layers.get_by_role("button", name="BertLayer_0-3", exact=True).click()
    expect(frame.locator(".drawer")).to_contain_text("Equal layers")
    assert axe_violations(page) == ""
    frame.get_by_role("treeitem", name="BertEncoder_0").click()
    expect(rows).to_have_count(1)
    expect(frame.locator(".crumbs b")).to_have_text("BertEncoder_0")


@IN_BOTH_THEMES
def test_what_each_kernel_adds_to_a_difference_is_compared(page: Page, address: str) -> None:
    frame = open_tab(page, address, RUN, "compare", before_run="h100_transformer_clean")
    frame.get_by_role("group", name="Rows of").get_by_role("button", name="Kernels").click()
    rows = frame.locator(".compared-rows tbody tr")
    expect(rows.last).to_contain_text("All")
    expect(rows.last).to_contain_text("100\u202f%")
    expect(rows.filter(has_text="gone").first).to_be_visible()
    assert axe_violations(page) == ""
