"""Ranks side by side and windows over the training, in TensorBoard."""

from __future__ import annotations

import pathlib
import shutil
from collections.abc import Iterator

import pytest
from conftest import SAMPLES
from playwright.sync_api import Page, expect
from tab import IN_BOTH_THEMES, IN_LIGHT, PATIENCE_MS, axe_violations, open_tab
from tensorboard_server import tensorboard

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Two ranks with two windows each."""
    folder = tmp_path_factory.mktemp("series")
    (folder / "run").mkdir()
    sample = next((SAMPLES / "h100_bert_small_infer").glob("*.json.gz"))
    for rank in (0, 1):
        for number in (1, 2):
            name = f"node_{rank}_rank{rank}.175221557399316{number:04d}.pt.trace.json.gz"
            shutil.copy(sample, pathlib.Path(folder / "run" / name))
    with tensorboard(folder) as started:
        yield started


@IN_BOTH_THEMES
def test_all_ranks_stand_side_by_side(page: Page, series: str) -> None:
    frame = open_tab(page, series, "run", "ranks")
    rows = frame.locator("table.series-table tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first.locator("td")).to_have_count(9, timeout=PATIENCE_MS)
    assert axe_violations(page) == ""
    rows.nth(1).locator("button").click()
    expect(frame.locator("nav [aria-current=page]")).to_have_text("Overview")
    expect(frame.locator("header.ctx")).to_contain_text("Rank1")


@IN_BOTH_THEMES
def test_windows_over_the_training_are_drawn_and_listed(page: Page, series: str) -> None:
    frame = open_tab(page, series, "run", "trends")
    rows = frame.locator('table[aria-labelledby="windows"] tbody tr')
    expect(rows).to_have_count(2)
    expect(rows.nth(1).locator("td")).to_have_count(7, timeout=PATIENCE_MS)
    expect(frame.locator("svg.trend")).to_have_count(4)
    expect(frame.locator("h1")).to_have_text("No lasting change of the step over 2 windows.")
    assert axe_violations(page) == ""


@IN_LIGHT
def test_views_that_have_nothing_to_compare_are_not_offered(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_bert_small_infer", "ranks")
    expect(frame.locator("nav .tabs a", has_text="Ranks")).to_have_count(0)
    expect(frame.locator("nav [aria-current=page]")).to_have_text("Overview")
