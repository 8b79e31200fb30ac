"""Ranks side by side and windows over the training, in TensorBoard."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from recorded_runs import put_known
from tab import IN_BOTH_THEMES, IN_LIGHT, PATIENCE_MS, axe_violations, open_tab
from tensorboard_server import tensorboard

from tbprof.session_file import Session

pytestmark = pytest.mark.browser


@IN_BOTH_THEMES
def test_all_ranks_stand_side_by_side(page: Page, address: str) -> None:
    frame = open_tab(page, address, "ranks", "job")
    rows = frame.locator("table.series-table tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first.locator("td")).to_have_count(9, timeout=PATIENCE_MS)
    frame.locator("th button", has_text="GPU idle").click()
    expect(frame.locator("th[aria-sort=descending]")).to_contain_text("GPU idle")
    assert axe_violations(page) == ""
    frame.get_by_role("textbox", name="Find ranks").fill("rank1")
    expect(rows).to_have_count(1)
    frame.get_by_role("textbox", name="Find ranks").fill("")
    frame.locator("th button", has_text="Rank").click()
    rows.nth(1).locator("button").click()
    expect(frame.locator("nav [aria-current=page]")).to_have_text("Overview")
    expect(frame.locator("header.ctx")).to_contain_text("Rank1")


@IN_BOTH_THEMES
def test_windows_over_the_training_are_drawn_and_listed(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 1100, "height": 700})
    frame = open_tab(page, address, "ranks", "trends")
    rows = frame.locator('table[aria-labelledby="windows"] tbody tr')
    expect(rows).to_have_count(2)
    expect(frame.locator("h1")).to_contain_text("too few to tell a lasting change", timeout=PATIENCE_MS)
    chart = frame.get_by_role("group", name="Step, a point a window")
    expect(chart).to_contain_text("Window, oldest first")
    chart.press("ArrowRight")
    expect(frame.get_by_role("status").filter(has_text="Window 2: step")).to_be_visible()
    frame.get_by_role("button", name="Figure").click()
    frame.get_by_role("option", name="GPU idle", exact=True).click()
    expect(frame.get_by_role("heading", name="GPU idle over the training")).to_be_visible()
    frame.get_by_role("button", name="Beside").click()
    frame.get_by_role("option", name="sam_amg_a100").click()
    expect(rows).to_have_count(3, timeout=PATIENCE_MS)
    assert axe_violations(page) == ""


@IN_LIGHT
def test_views_that_have_nothing_to_compare_are_not_offered(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_bert_small_infer", "trends")
    expect(frame.locator("nav .tabs a", has_text="Job")).to_have_count(0)
    expect(frame.locator("nav [aria-current=page]")).to_have_text("Overview")


@IN_BOTH_THEMES
def test_a_session_is_read_in_the_tab(page: Page, tmp_path: Path) -> None:
    put_known(tmp_path / "logs" / "run", "lib/metrics.py")
    session = Session(tmp_path)
    session.add("proposal", "read the loss every 50th step (train.py:88)", by="agent")
    proved = "HEAD~1 -> HEAD: proved. 1 of 4 sync points a step is gone."
    session.add("proof", proved, by="tbprof", code=["running += loss.item()"])
    session.add("measurement", "HEAD~1 -> HEAD: 4.1 % faster, 95 % interval 3.2 to 4.9 %.", by="tbprof")
    session.add("accept", "<b>proved</b> and measured \u202e\u2066", by="person")
    with tensorboard(tmp_path / "logs") as address:
        frame = open_tab(page, address, view="session")
        expect(frame.locator("h1")).to_have_text("1 proposal, 1 accepted and 0 rejected.")
        rows = frame.locator('table[aria-labelledby="notes"] tbody tr')
        expect(rows).to_have_count(4)
        expect(rows.first).to_contain_text("<b>proved</b>")
        expect(frame.locator("nav [aria-current=page]")).to_have_text("Session")
        assert axe_violations(page) == ""
        frame = open_tab(page, address, "run", "source")
        expect(frame.locator('.source li[data-line="19"]')).to_contain_text(f"proof: {proved}")
        assert axe_violations(page) == ""
        frame.get_by_role("button", name=f"proof: {proved}").click()
        expect(frame.locator("nav [aria-current=page]")).to_have_text("Session")
