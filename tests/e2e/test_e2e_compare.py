"""Two windows beside each other, in TensorBoard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import FrameLocator, Page, expect
from tab import PATIENCE_MS, axe_violations, open_tab

pytestmark = pytest.mark.browser


def pick_before(frame: FrameLocator, run: str) -> None:
    frame.locator(".before .pick").first.click()
    frame.locator('[role="option"]', has_text=run).click()


def test_another_run_is_picked_compared_and_swapped(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_bert_small_infer", "compare")
    pick_before(frame, "h100_transformer_clean")
    sites = frame.locator("details", has_text="New").locator("tbody tr")
    expect(sites).to_have_count(2, timeout=PATIENCE_MS)
    assert axe_violations(page) == ""
    frame.locator("button", has_text="Swap").click()
    gone = frame.locator("details", has_text="Gone").locator("tbody tr")
    expect(gone).to_have_count(2, timeout=PATIENCE_MS)
    assert "p.tbprof.before_run=h100_bert_small_infer" in page.url


def test_the_step_of_both_is_shown(page: Page, address: str) -> None:
    frame = open_tab(page, address, "sam_amg_a100", "compare")
    pick_before(frame, "h100_bert_small_infer")
    table = frame.locator("table.compared")
    expect(table).to_be_visible(timeout=PATIENCE_MS)
    expect(table.locator("tr", has_text="Step")).to_contain_text("648.8")


def test_steps_are_drawn_on_one_axis_and_said_beside_it(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_transformer_clean", "compare")
    pick_before(frame, "h100_bert_small_infer")
    strips = frame.locator(".step-strips dd.t2")
    expect(strips.first).to_contain_text("its noise not known", timeout=PATIENCE_MS)
    expect(strips.last).to_contain_text("±")
    expect(frame.locator("h1").first).to_contain_text("does not tell the noise")
    assert axe_violations(page) == ""


def test_kernels_and_launches_are_counted_on_both_sides(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_transformer_clean", "compare")
    pick_before(frame, "h100_bert_small_infer")
    table = frame.locator("table.compared")
    kernels = table.locator("tr", has_text="Kernels")
    expect(kernels).to_have_text(re.compile(r"^Kernels6016"), timeout=PATIENCE_MS)
    expect(table.locator("tr", has_text="Launches")).to_have_text(re.compile(r"^Launches6016"))
