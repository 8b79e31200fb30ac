"""The Overview in TensorBoard: why the GPU is idle and what to change, as a person reads it."""

from __future__ import annotations

import pathlib
import re

import pytest
from playwright.sync_api import Page, expect
from tab import IN_BOTH_THEMES, IN_LIGHT, axe_violations, open_tab
from tensorboard_server import report_of

pytestmark = pytest.mark.browser

NARROW_SPACE = "\u202f"


def milliseconds(microseconds: float) -> str:
    return f"{microseconds / 1000:.1f}"


@IN_LIGHT
def test_the_figures_are_those_of_the_command_line(page: Page, address: str, logdir: pathlib.Path) -> None:
    report = report_of(next((logdir / "sam_amg_a100").glob("*.json.gz")))
    frame = open_tab(page, address, "sam_amg_a100")
    figures = frame.locator(".head .figures").inner_text()
    for shown in (report["steps"][0]["duration_us"], report["idle"]["device_us"]):
        assert f"{milliseconds(shown)}{NARROW_SPACE}ms" in figures
    table = frame.locator("table.causes")
    for cause, words in {"sync": "Refilling after a sync", "queued": "Work is queued"}.items():
        row = table.locator("tr", has_text=words)
        assert milliseconds(report["idle"]["by_cause"][cause]) in row.inner_text()
    actions = frame.locator("table.actions tbody tr")
    count = len(report["actions"])
    expect(actions).to_have_count(min(count, 3))
    if count > 3:
        frame.get_by_role("button", name=re.compile("^Changes? 4")).click()
    expect(actions).to_have_count(count)
    for index, row in enumerate(report["actions"]):
        assert report["findings"][row["findings"][0]]["rule"] in actions.nth(index).inner_text()
    expect(frame.locator("main")).to_contain_text("in the order to work in, by what is likely saved")


@IN_LIGHT
def test_the_first_action_opens_the_screen_with_its_own_figure(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_bert_small_infer")
    head, first = frame.locator(".head"), frame.locator("table.actions tbody tr").first
    order = first.locator("td").nth(1).locator("div").first.inner_text()
    figure = first.locator("td").nth(2).locator("div").first.inner_text().removeprefix("up to ")
    assert f"First: {order[0].lower()}{order[1:]}" in head.inner_text()
    assert f"up to {figure} of" in head.inner_text()
    expect(head.locator(".figures .gain")).to_have_text(f"≤ {figure}")


@IN_LIGHT
def test_the_bars_say_what_they_draw(page: Page, address: str) -> None:
    frame = open_tab(page, address, "sam_amg_a100")
    labels = [bar.get_attribute("aria-label") or "" for bar in frame.locator("svg.stack").all()]
    assert [label.split(":")[0] for label in labels] == ["GPU", "Host thread", "The step without waits"]
    assert "Refilling after a sync" in labels[0]


@IN_BOTH_THEMES
def test_a_place_leads_to_its_site_and_back(page: Page, address: str) -> None:
    frame = open_tab(page, address, "sam_amg_a100")
    causes = frame.locator("table.causes tbody tr", has_text="Refilling after a sync")
    causes.locator("button.link").first.click()
    expect(frame.locator("aside.drawer")).to_contain_text("aten::copy_")
    assert axe_violations(page) == ""
    page.go_back()
    expect(frame.locator("aside.drawer")).to_have_count(0)


@IN_LIGHT
def test_more_places_of_a_cause_unfold(page: Page, address: str) -> None:
    frame = open_tab(page, address, "sam_amg_a100")
    row = frame.locator("table.causes tbody tr", has_text="Refilling after a sync")
    expect(row.locator("p.place")).to_have_count(1)
    row.locator("button[aria-expanded]").click()
    expect(row.locator("p.place")).to_have_count(3)


@IN_LIGHT
def test_the_keys_switch_the_views_and_the_address_follows(page: Page, address: str) -> None:
    frame = open_tab(page, address, "sam_amg_a100")
    frame.locator("h1").first.click()
    for key, name in (("2", "Checks"), ("3", "Sync points"), ("4", "Copies")):
        page.keyboard.press(key)
        expect(frame.locator("nav [aria-current=page]")).to_contain_text(name)
    assert "p.tbprof.view=copies" in page.url


@IN_LIGHT
def test_without_a_gpu_the_overview_says_so_and_draws_no_idle(page: Page, address: str) -> None:
    frame = open_tab(page, address, "demo/before")
    expect(frame.locator("h1")).to_contain_text("Recorded without a GPU: ")
    expect(frame.locator("section.head")).to_contain_text("3 lines would make the host wait for")
    expect(frame.locator("table.causes")).to_have_count(0)
    expect(frame.locator("#trust")).to_be_visible()


@IN_LIGHT
def test_what_is_beyond_the_fold_can_be_scrolled_to(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_bert_small_infer")
    frame.locator("#trust").scroll_into_view_if_needed()
    expect(frame.locator("#trust")).to_be_in_viewport()


@IN_LIGHT
def test_a_finding_without_a_site_opens_with_its_figures(page: Page, address: str) -> None:
    frame = open_tab(page, address, "known")
    frame.get_by_role("button", name=re.compile("^Changes? 4")).click()
    frame.locator("table.actions").get_by_role("button", name="LCH02").click()
    drawer = frame.locator("aside.drawer")
    expect(drawer).to_contain_text("in code that was not recorded")
    expect(drawer).to_contain_text("at most")
    for view in ("Sync points", "Source"):
        frame.locator("nav a", has_text=view).click()
        expect(frame.locator(".finding-links", has_text="LCH02")).to_have_count(1)
