"""A run recorded without a GPU: the lines that would wait for one, in the tab."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from tab import IN_LIGHT, axe_violations, open_tab

pytestmark = pytest.mark.browser

LINES = {
    "self.weights = torch.tensor(WEIGHTS, device=device)": "CPY05",
    'assert labels.max() < logits.shape[1], "a label is out of range"': "SYN02",
    "picked = logits.log_softmax(dim=1)[range(len(labels)), labels]": "CPY05",
}
"""Of the demo before it is fixed, each with its rule."""


@pytest.mark.parametrize("view", ["overview", "syncs"])
def test_every_line_of_the_demo_is_named_and_marked_as_predicted(page: Page, address: str, view: str) -> None:
    frame = open_tab(page, address, "demo/before", view)
    # Which of its sentences comes first is also a matter of how busy this machine is.
    expect(frame.locator("h1")).to_contain_text("Recorded without a GPU: ")
    rows = frame.locator("table.predicted tbody tr")
    expect(rows).to_have_count(len(LINES))
    for row in rows.all():
        code = row.locator("code.block").inner_text()
        expect(row).to_contain_text(LINES[code])
        expect(row).to_contain_text("before.py:")
        expect(row).to_contain_text("predicted")
        # Nothing was measured, and so nothing has a time.
        assert "ms" not in row.inner_text().split()
    assert axe_violations(page) == ""


def test_checks_list_the_lines_as_what_would_fail_on_a_gpu(page: Page, address: str) -> None:
    frame = open_tab(page, address, "demo/before", "checks")
    expect(frame.locator("h1")).to_contain_text("2 would fail on a GPU, for 3 lines")
    group = frame.locator("section", has=frame.get_by_role("heading", name="Would fail on a GPU"))
    expect(group.get_by_role("button")).to_have_text(["SYN02", "CPY05"])
    expect(group).to_contain_text("in 2 places")
    assert axe_violations(page) == ""


@IN_LIGHT
def test_nothing_of_a_gpu_is_offered_where_none_was(page: Page, address: str) -> None:
    frame = open_tab(page, address, "demo/before", "timeline")
    expect(frame.locator("p.gaps")).to_contain_text("No GPU was recorded in this window")
    expect(frame.locator("button", has_text="Largest gap")).to_have_count(0)
    expect(frame.locator(".track-legend")).to_have_count(0)
    frame = open_tab(page, address, "demo/before", "overview")
    expect(frame.locator("svg.stack").first).to_have_attribute("aria-label", re.compile("in torch ops"))


@IN_LIGHT
def test_of_the_fixed_demo_no_line_is_named(page: Page, address: str) -> None:
    frame = open_tab(page, address, "demo/after")
    expect(frame.locator("h1")).to_contain_text("Recorded without a GPU: ")
    expect(frame.locator("table.predicted")).to_have_count(0)
