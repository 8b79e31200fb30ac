"""The page of a whole run in the tab, and what Overview says of it first."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect
from run_time_scene import FIRST, SECOND, put_run_times
from source_scene import known_training
from tab import IN_BOTH_THEMES, IN_LIGHT, axe_violations, open_tab
from tensorboard_server import tensorboard

from tbprof.store.codec import encode_report

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A run that started twice, and one of which nothing was noted."""
    logdir = tmp_path_factory.mktemp("noted")
    put_run_times(logdir / "run", FIRST, SECOND)
    put_run_times(logdir / "other")
    for run in ("run", "other"):
        window = logdir / run / "node1_17_rank0.1752215573993169006.tbprof.pb"
        window.write_bytes(encode_report(known_training(), written_by="0.1"))
    with tensorboard(logdir) as address:
        yield address


@IN_BOTH_THEMES
def test_overview_leads_to_the_parts_of_a_run(page: Page, noted: str) -> None:
    open_tab(page, noted, run="run")
    page.get_by_role("link", name="Where the time of the run went").click()
    expect(page.locator("h1")).to_contain_text("Of 10.0 h since the start")
    parts = page.get_by_role("table", name="Where the time went")
    expect(parts.get_by_role("row").filter(has_text="Restarts")).to_contain_text("2 h")
    expect(page.get_by_role("table", name="The longest pauses")).to_contain_text("train.py:212 evaluate")
    assert axe_violations(page) == ""


@IN_LIGHT
def test_a_run_of_which_nothing_was_noted_has_no_such_page_in_the_bar(page: Page, noted: str) -> None:
    open_tab(page, noted, run="other")
    views = page.get_by_role("navigation", name="Views")
    expect(views.get_by_role("link", name="Checks")).to_be_visible()
    expect(views.get_by_role("link", name="Run", exact=True)).to_have_count(0)
    open_tab(page, noted, run="other", view="run")
    expect(page.locator("h1")).to_have_text("Nothing was noted of the whole run")
