"""All ranks of a run together: who is late, why, and the steps above one another."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from tab import IN_BOTH_THEMES, IN_LIGHT, axe_violations, open_tab

pytestmark = pytest.mark.browser


@IN_BOTH_THEMES
def test_it_names_the_late_rank_and_leads_down_to_one_collective(page: Page, address: str) -> None:
    frame = open_tab(page, address, "job", "job")
    expect(frame.locator("h1")).to_contain_text("wait 36\u202f% of a step for rank 1")
    expect(frame.locator(".note")).to_contain_text("Rank 2 recorded no window")
    action = frame.locator('table[aria-labelledby="job-plan"] tbody tr')
    expect(action).to_contain_text("Make the data loader of rank 1 faster")
    expect(frame.locator('table[aria-labelledby="job-ranks"] tbody tr')).to_have_count(3)
    expect(frame.locator('table[aria-labelledby="job-waits"]')).to_contain_text("for rank 1")
    expect(frame.locator('table[aria-labelledby="job-collectives"]')).to_contain_text("all_reduce")
    assert axe_violations(page) == ""
    frame.get_by_role("button", name="Longest wait").click()
    last = frame.locator('table[aria-labelledby="meeting-title"] tbody tr').first
    expect(last).to_contain_text("late")
    assert axe_violations(page) == ""
    last.get_by_role("button", name="rank 1").click()
    expect(frame.locator("nav [aria-current=page]")).to_have_text("Overview")
    expect(frame.locator("header.ctx")).to_contain_text("Rank1")


@IN_LIGHT
def test_the_overview_of_each_rank_says_first_who_is_late(page: Page, address: str) -> None:
    frame = open_tab(page, address, "job", "overview", worker="node_0_rank0")
    expect(frame.locator("h1")).to_contain_text("Rank 1 is late by")
    frame.get_by_role("button", name="Open rank 1").click()
    expect(frame.locator("h1")).to_contain_text("The other ranks wait for this one: it is late by")
    expect(frame.locator(".head")).to_contain_text("First: set num_workers=4, as the loader has none.")
    first = frame.locator('table[aria-labelledby="actions"] tbody tr').first
    expect(first).to_contain_text("DAT01")


@IN_LIGHT
def test_a_click_on_the_drawing_chooses_a_collective_and_a_drag_zooms(page: Page, address: str) -> None:
    frame = open_tab(page, address, "job", "job")
    drawing = frame.locator(".aligned .drawing")
    drawing.click(position={"x": 300, "y": 15})
    expect(frame.locator("#meeting-title")).to_contain_text("all_reduce of group 0")
    box = drawing.bounding_box()
    assert box is not None
    whole = drawing.get_attribute("aria-label")
    page.mouse.move(box["x"] + 100, box["y"] + 15)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] + 15)
    page.mouse.up()
    expect(drawing).not_to_have_attribute("aria-label", whole or "")


@IN_LIGHT
def test_links_of_earlier_versions_lead_there(page: Page, address: str) -> None:
    frame = open_tab(page, address, "job", "ranks")
    expect(frame.locator("h1")).to_contain_text("of a step for rank 1")
    # In a bar that is too narrow for all views it is the menu that holds this one.
    expect(frame.locator("nav [aria-current=page]")).to_have_text(re.compile("Job|What"))


@IN_LIGHT
def test_a_rank_alone_says_what_it_needs(page: Page, address: str) -> None:
    frame = open_tab(page, address, "exchanging", "job")
    expect(frame.locator("h1")).to_contain_text("is here: several ranks of a run show who waits for whom")
    expect(frame.locator("main")).to_contain_text("Let every rank record into the same run")
