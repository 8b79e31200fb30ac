"""The flame graph in the tab."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from tab import IN_BOTH_THEMES, IN_LIGHT, axe_violations, open_tab

pytestmark = pytest.mark.browser


@IN_LIGHT
def test_a_click_and_the_keys_lead_in_and_out(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_transformer_clean", "flame", zoom="0")
    boxes = frame.get_by_role("treeitem")
    expect(boxes.first).to_contain_text("all")
    frame.get_by_role("treeitem", name="torch_prof.py(36): forward").click()
    expect(boxes.first).to_contain_text("forward (torch_prof.py:36)")
    boxes.first.focus()
    page.keyboard.press("ArrowDown")
    expect(frame.locator(".icicle .box:focus")).to_contain_text("aten::_native_multi_head")
    page.keyboard.press("Enter")
    expect(frame.locator(".crumbs b")).to_contain_text("aten::_native_multi_head_attention")
    page.keyboard.press("Escape")
    expect(boxes.first).to_contain_text("forward (torch_prof.py:36)")
    frame.locator(".crumbs").get_by_role("button", name="all").click()
    expect(boxes.first).to_contain_text("all")


@IN_BOTH_THEMES
def test_a_flame_graph_by_label_with_a_search_leaves_axe_nothing(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_transformer_clean", "flame", by="label", time="host")
    expect(frame.get_by_role("tree")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("attention")
    expect(frame.locator(".icicle .match")).to_have_count(1)
    expect(frame.locator(".flame [role=status]")).to_contain_text("1 match")
    assert axe_violations(page) == ""


@IN_LIGHT
def test_what_was_not_recorded_is_said_and_not_offered(page: Page, address: str) -> None:
    frame = open_tab(page, address, "sam_amg_a100", "flame")
    expect(frame.get_by_role("group", name="Nested by").get_by_role("button")).to_have_text(["Operator"])
    expect(frame.locator(".flame-note")).to_contain_text("No Python stacks were recorded")
