"""The manual under `?`: its pages, in the tab and in a page that carries everything."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator

import pytest
from playwright.sync_api import FrameLocator, Page, expect
from tab import IN_BOTH_THEMES, IN_LIGHT, axe_violations, open_tab
from tensorboard_server import tensorboard

from tbprof.cli.main import main
from tbprof.manual.pages import all_pages, manual_text

pytestmark = pytest.mark.browser

SAMPLES = pathlib.Path(__file__).parents[2] / "logs" / "samples"
RUN = "h100_bert_small_infer"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The samples alone: the manual is the same beside any run."""
    with tensorboard(SAMPLES) as started:
        yield started


def open_manual(frame: FrameLocator | Page) -> None:
    """As a person does who looks for help."""
    frame.get_by_role("button", name="Keyboard shortcuts").click()
    frame.get_by_role("button", name="Manual").click()


@IN_BOTH_THEMES
def test_every_page_can_be_read(page: Page, address: str) -> None:
    frame = open_tab(page, address, RUN)
    open_manual(frame)
    article = frame.locator("dialog.manual article")
    expect(article.locator("h3")).to_have_text("Reading the tab")
    assert axe_violations(page) == ""
    for written in all_pages():
        frame.get_by_role("navigation", name="Pages of the manual").get_by_text(
            written.title, exact=True
        ).click()
        expect(article.locator("h3")).to_have_text(written.title)
        expect(article).to_contain_text(written.summary.replace("`", ""))
    page.keyboard.press("Escape")
    expect(frame.locator("dialog.manual[open]")).to_have_count(0)


@IN_LIGHT
def test_markdown_is_drawn_and_never_interpreted(page: Page, address: str) -> None:
    frame = open_tab(page, address, RUN)
    open_manual(frame)
    frame.get_by_role("button", name="The trainer hook").click()
    article = frame.locator("dialog.manual article")
    expect(article.locator("pre").first).to_contain_text(
        'with TrainerHook("logs/run1") as hook:\n    for batch'
    )
    headings = [line for line in manual_text("hook").markdown.splitlines() if line.startswith("## ")]
    expect(article.locator("h4")).to_have_count(len(headings))
    expect(article).not_to_contain_text("```")
    expect(article).not_to_contain_text("**")


@IN_LIGHT
def test_a_page_that_carries_everything_carries_the_manual(
    page: Page, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(SAMPLES / RUN / "h100_bert_small.json.gz"), "--format", "html"]) == 0
    shared = tmp_path / "window.html"
    shared.write_text(capsys.readouterr().out, encoding="utf-8")
    page.goto(shared.as_uri())
    open_manual(page)
    expect(page.locator("dialog.manual article h3")).to_have_text("Reading the tab")
    # The rules stand in the page one by one.
    expect(page.locator("dialog.manual nav button")).to_have_count(len(all_pages()) - 1)
