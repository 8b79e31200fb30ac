"""Sync points and copies, each as a view of its own."""

from __future__ import annotations

import pathlib

import pytest
from playwright.sync_api import Page, expect
from tab import IN_BOTH_THEMES, IN_LIGHT, axe_violations, open_tab
from tensorboard_server import report_of

pytestmark = pytest.mark.browser


@IN_LIGHT
def test_each_view_lists_its_own_sites(page: Page, address: str, logdir: pathlib.Path) -> None:
    sites = report_of(next((logdir / "sam_amg_a100").glob("*.json.gz")))["sites"]
    frame = open_tab(page, address, "sam_amg_a100", "syncs")
    expect(frame.locator("tr[data-site]")).to_have_count(sum(site["blocking"] > 0 for site in sites))
    frame.locator("nav a", has_text="Copies").click()
    expect(frame.locator("tr[data-site]")).to_have_count(sum(site["direction"] != "" for site in sites))


@IN_LIGHT
def test_sites_are_grouped_as_one_asks(page: Page, address: str) -> None:
    frame = open_tab(page, address, "known", "syncs")
    listed = frame.locator("tr[data-site]").count()
    groups = frame.locator("tr.grp")
    expect(groups.first).to_contain_text("Actions")
    frame.get_by_role("group", name="Group by").get_by_role("button", name="Line").click()
    expect(groups.first).to_contain_text(".py")
    expect(frame.locator("tr[data-site]")).to_have_count(listed)


@IN_LIGHT
def test_copies_by_kind_are_those_of_the_command_line(page: Page, address: str, logdir: pathlib.Path) -> None:
    kinds = report_of(next((logdir / "sam_amg_a100").glob("*.json.gz")))["copies"]
    frame = open_tab(page, address, "sam_amg_a100", "copies")
    rows = frame.locator('table[aria-labelledby="kinds"] tbody tr')
    expect(rows).to_have_count(len(kinds))
    for index, kind in enumerate(kinds):
        cells = rows.nth(index).locator("td").all_inner_texts()
        assert cells[1:3] == [f"{kind['count']:,}", f"{kind['blocking']:,}"]


@IN_LIGHT
def test_waiting_and_copying_are_told_apart(page: Page, address: str) -> None:
    frame = open_tab(page, address, "sam_amg_a100", "copies")
    expect(frame.locator("section.card").first).to_contain_text("are not the copies")


@IN_LIGHT
def test_copies_that_do_not_block_add_no_wait_to_their_group(page: Page, address: str) -> None:
    frame = open_tab(page, address, "sam_amg_a100", "copies")
    group = frame.locator("tr.grp")
    frame.get_by_placeholder("Filter by line").fill("aten::sort")
    expect(group).to_contain_text("1 site, the host does not wait")
    frame.get_by_placeholder("Filter by line").fill("aten::nonzero")
    expect(group.first).to_contain_text("the host waits")


@IN_LIGHT
def test_speeds_are_drawn_and_said(page: Page, address: str) -> None:
    frame = open_tab(page, address, "sam_amg_a100", "copies")
    plot = frame.locator("svg.speed-plot")
    assert "GPU to host, pageable: " in (plot.get_attribute("aria-label") or "")
    assert plot.locator("path title").count() > 3


@IN_LIGHT
def test_a_site_has_the_number_of_its_action(page: Page, address: str) -> None:
    frame = open_tab(page, address, "sam_amg_a100")
    rules = frame.locator("table.actions tbody tr .rule")
    expect(rules.first).to_be_visible()
    number, rule = next(
        (at, rule) for at, rule in enumerate(rules.all_inner_texts(), 1) if rule.startswith(("SYN", "CPY"))
    )
    frame.locator("nav a", has_text="Sync points").click()
    first = frame.locator("tr[data-site]", has=frame.locator(f'.disc[title="Action {number}"]'))
    expect(first.first).to_contain_text(rule)


@IN_BOTH_THEMES
def test_a_drawer_beside_copies_leaves_axe_nothing(page: Page, address: str) -> None:
    frame = open_tab(page, address, "sam_amg_a100", "copies")
    frame.locator("tr[data-site]").first.click()
    expect(frame.locator("aside.drawer")).to_contain_text("Copying takes")
    assert axe_violations(page) == ""


@IN_LIGHT
def test_a_window_without_copies_says_so(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_transformer_clean", "copies")
    expect(frame.locator("h1")).to_have_text("Nothing was copied in this window")
