"""Two windows beside each other, in TensorBoard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import FrameLocator, Page, expect
from tab import IN_BOTH_THEMES, IN_LIGHT, PATIENCE_MS, axe_violations, open_tab

pytestmark = pytest.mark.browser


def pick_before(frame: FrameLocator, run: str) -> None:
    frame.locator(".before .pick").first.click()
    frame.locator('[role="option"]', has_text=run).click()


@IN_LIGHT
def test_another_run_is_picked_compared_and_swapped(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_bert_small_infer", "compare")
    # Nothing is of the same program: nobody picks a window of another one by itself.
    expect(frame.locator("h1")).to_have_text("Pick the window to compare with")
    assert axe_violations(page) == ""
    pick_before(frame, "h100_transformer_clean")
    sites = frame.locator("details", has_text="New").locator("tbody tr")
    expect(sites).to_have_count(2, timeout=PATIENCE_MS)
    frame.locator("button", has_text="Swap").click()
    gone = frame.locator("details", has_text="Gone").locator("tbody tr")
    expect(gone).to_have_count(2, timeout=PATIENCE_MS)
    assert "p.tbprof.before_run=h100_bert_small_infer" in page.url


@IN_LIGHT
def test_the_step_its_kernels_and_its_launches_stand_beside_each_other(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_transformer_clean", "compare", before_run="h100_bert_small_infer")
    table = frame.locator("table.compared")
    expect(table.locator("tr", has_text="Kernels")).to_have_text(
        re.compile(r"^Kernels6016"), timeout=PATIENCE_MS
    )
    expect(table.locator("tr", has_text="Launches")).to_have_text(re.compile(r"^Launches6016"))
    expect(table.locator("tr", has_text="Step")).to_contain_text("4,4")


@IN_BOTH_THEMES
def test_steps_and_where_they_go_are_drawn_and_said(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_transformer_clean", "compare", before_run="h100_bert_small_infer")
    strips = frame.locator(".step-times dd.t2")
    expect(strips.first).to_contain_text("its noise not known", timeout=PATIENCE_MS)
    expect(strips.last).to_contain_text("\u00b1")
    expect(frame.locator("h1").first).to_contain_text("the noise is unknown")
    labels = [bar.get_attribute("aria-label") or "" for bar in frame.locator("svg.stack").all()]
    assert [label.split(":")[0] for label in labels] == ["Before", "After"]
    assert all("idle" in label for label in labels)
    expect(frame.locator("main")).to_contain_text("\u201cHost is late to launch\u201d shrank most")
    # The noise of a single step is unknown: nothing is called better.
    expect(frame.locator("table.compared").locator(".better, .worse")).to_have_count(0)
    assert axe_violations(page) == ""


@IN_BOTH_THEMES
def test_a_wait_that_moved_is_named_above_and_at_both_its_sites(page: Page, address: str) -> None:
    frame = open_tab(page, address, "known_moved", "compare", before_run="known")
    expect(frame.locator("main")).to_contain_text(
        "The wait moved from metrics.py:5 to late_metrics.py:5: net 0.", timeout=PATIENCE_MS
    )
    gone = frame.locator("details", has_text="Gone").locator("tbody tr")
    expect(gone).to_contain_text("its wait is at late_metrics.py:5 now")
    new = frame.locator("details", has_text="New").locator("tbody tr")
    expect(new).to_contain_text("of the wait that metrics.py:5 had")
    expect(new).to_contain_text("predicted = predicted.cpu()")
    expect(frame.locator("section", has=frame.locator("#recorded-times"))).to_contain_text("may be none")
    for pane in (frame.locator("html"), frame.locator("main")):
        assert pane.evaluate("pane => pane.scrollWidth <= pane.clientWidth")
    assert axe_violations(page) == ""


@IN_LIGHT
def test_a_side_without_a_gpu_is_a_sentence_and_no_error(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_transformer_clean", "compare", before_run="demo/before")
    rows = frame.locator("section", has=frame.locator("#compared-rows"))
    expect(rows).to_contain_text("Only the later of the two windows has work of a GPU", timeout=PATIENCE_MS)
    expect(frame.locator("table.compared tr", has_text="Host waits")).to_contain_text("not recorded")
