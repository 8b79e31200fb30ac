"""A window whose file is written or replaced while the tab shows it."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator

import pytest
from communication_scenes import exchanging
from playwright.sync_api import Page, expect
from tab import IN_LIGHT, open_tab
from tensorboard_server import tensorboard

pytestmark = pytest.mark.browser

FIRST, SECOND = (f"w.175221557399316900{number}.pt.trace.json" for number in (1, 2))
SENTENCES = {
    "Communication": 'h1:has-text("% of a step,")',
    "Timeline": ':text("· idle")',
    "Overview": 'h1:has-text("The GPU")',
}
"""Of each view what it says first; the bar changes before that does."""


@pytest.fixture
def run(tmp_path: pathlib.Path) -> pathlib.Path:
    """A run with one window, whose communication is a fifth of each step."""
    run = tmp_path / "logs" / "run"
    run.mkdir(parents=True)
    exchanging(2_000).write(run / FIRST)
    return run


@pytest.fixture
def address(run: pathlib.Path) -> Iterator[str]:
    with tensorboard(run.parent) as started:
        yield started


def said_in_views(page: Page) -> list[str]:
    said = []
    for view, sentence in SENTENCES.items():
        page.locator("nav a", has_text=view).click()
        said.append(page.locator(sentence).first.inner_text())
    return said


@IN_LIGHT
def test_what_is_shown_is_of_one_file_though_it_is_replaced_and_the_next_one_written(
    page: Page, address: str, run: pathlib.Path
) -> None:
    open_tab(page, address, "run", "communication")
    expect(page.locator("h1")).to_contain_text("20 % of a step")
    before = said_in_views(page)

    exchanging(4_000, steps=3).write(run / "aside").replace(run / FIRST)
    expect(page.locator(".toast")).to_have_text("The window's file has changed: it is loaded anew")
    expect(page.locator("h1")).to_contain_text("40 % of a step")
    after = said_in_views(page)
    assert not set(after) & set(before)

    whole = (run / FIRST).read_bytes()
    before_kernels = whole.index(b"kernel")
    with (run / SECOND).open("wb") as file:
        file.write(whole[:before_kernels])
        file.flush()
        page.get_by_role("button", name="1 new window").click()
        expect(page.locator("main")).to_contain_text("cut off")
        file.write(whole[before_kernels:])
    expect(page.locator("h1")).to_have_text(after[-1])


@IN_LIGHT
def test_the_list_of_runs_has_the_figures_of_the_one_shown_as_soon_as_it_was_read(
    page: Page, address: str, run: pathlib.Path
) -> None:
    beside = run.parent / "beside"
    beside.mkdir()
    exchanging(4_000).write(beside / FIRST)
    # What is read in the background has figures, too.
    page.request.get(f"{address}/data/plugin/tbprof/fleet?traces=stop")
    open_tab(page, address, "run", "fleet")
    expect(page.locator("table.fleet .lost")).to_have_count(1)
    page.locator("table.fleet a", has_text="beside").click()
    page.locator("nav a", has_text="Fleet").click()
    expect(page.locator("table.fleet .lost")).to_have_count(2)
