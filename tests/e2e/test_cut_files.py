"""A file that is cut off among its events, in the tab."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect
from scenes import host_bound
from tab import IN_BOTH_THEMES, IN_LIGHT, axe_violations, open_tab
from tensorboard_server import tensorboard

pytestmark = pytest.mark.browser

NAME = "w.1752215573993169001.pt.trace.json"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    run = tmp_path_factory.mktemp("logs") / "run"
    run.mkdir()
    whole = host_bound(steps=40).write(run / NAME).read_bytes()
    (run / NAME).write_bytes(whole[: len(whole) * 9 // 10])
    # Rows of the GPU come after those of the host.
    (run.parent / "without_gpu").mkdir()
    (run.parent / "without_gpu" / NAME).write_bytes(whole[: whole.index(b'"cat": "kernel"')])
    with tensorboard(run.parent) as started:
        yield started


@IN_BOTH_THEMES
@pytest.mark.parametrize("view", ["syncs", "timeline", "kernels"])
def test_every_view_says_what_its_figures_are_of(page: Page, address: str, view: str) -> None:
    frame = open_tab(page, address, "run", view)
    expect(frame.get_by_role("complementary", name="Scope of the figures")).to_have_text(
        "The file is cut off: what is shown is of what is left of it."
    )
    assert axe_violations(page) == ""


@IN_LIGHT
def test_the_overview_says_it_once(page: Page, address: str) -> None:
    frame = open_tab(page, address, "run", "overview")
    expect(frame.locator("h1")).to_contain_text("The file is cut off")
    expect(frame.get_by_role("complementary", name="Scope of the figures")).to_have_count(0)


@IN_LIGHT
def test_the_sites_that_are_listed_are_counted_in_the_bar(page: Page, address: str) -> None:
    frame = open_tab(page, address, "run", "syncs")
    expect(frame.get_by_text("1 site", exact=True)).to_be_visible()
    expect(frame.locator("nav a", has_text="Sync points").locator(".count")).to_have_text("1")


@IN_LIGHT
def test_nothing_of_idle_is_offered_in_the_timeline(page: Page, address: str) -> None:
    frame = open_tab(page, address, "run", "timeline")
    expect(frame.get_by_role("button", name="Next episode")).to_be_visible()
    expect(frame.get_by_role("button", name="Largest gap")).to_have_count(0)
    expect(frame.get_by_role("button", name="Idle")).to_have_count(0)
    expect(frame.locator(".track-legend")).to_contain_text("kernels")
    expect(frame.locator(".track-legend")).not_to_contain_text("idle")


@IN_LIGHT
@pytest.mark.parametrize("view", ["syncs", "copies", "timeline", "fleet", "compare"])
def test_where_no_gpu_work_is_left_no_view_says_that_there_was_no_gpu(
    page: Page, address: str, view: str
) -> None:
    place = {"before_run": "run"} if view == "compare" else {}
    frame = open_tab(page, address, "without_gpu", view, **place)
    said = {
        "timeline": "No work of the GPU is in this file",
        "fleet": "work is missing from the file",
        "compare": "After: the file is cut off: no GPU work is in what is left of it.",
    }
    expect(frame.locator(".app")).to_contain_text(
        said.get(view, "The file is cut off: no GPU work is in what is left of it.")
    )
    for denied in ("Without a GPU", "No GPU was recorded", "recorded without a GPU"):
        expect(frame.locator("main")).not_to_contain_text(denied)
