"""The tab in TensorBoard, as a person meets it."""

from __future__ import annotations

import json
import pathlib
import urllib.parse
import urllib.request

import pytest
from playwright.sync_api import Page, expect
from tab import IN_BOTH_THEMES, IN_LIGHT, PATIENCE_MS, axe_violations, open_in_tensorboard, open_tab
from tensorboard_server import report_of, tensorboard

pytestmark = pytest.mark.browser

NARROW_SPACE = "\u202f"


def exact_us(microseconds: float) -> str:
    text = f"{microseconds:,.3f}".rstrip("0").rstrip(".")
    return f"{text}{NARROW_SPACE}µs"


@IN_LIGHT
def test_the_tab_shows_the_figures_of_the_command_line(
    page: Page, address: str, logdir: pathlib.Path
) -> None:
    report = report_of(next((logdir / "sam_amg_a100").glob("*.json.gz")))
    frame = open_in_tensorboard(page, address, "sam_amg_a100", "syncs")
    rows = frame.locator("tr[data-site]")
    waiting = [(index, site) for index, site in enumerate(report["sites"]) if site["blocking"]]
    expect(rows).to_have_count(len(waiting), timeout=PATIENCE_MS)
    for index, site in waiting:
        row = frame.locator(f'tr[data-site="{index}"]')
        assert row.locator(".c-wait span").first.get_attribute("title") == exact_us(site["wait_us"])
        assert row.locator(".c-ops").inner_text().split(" \u2039 ") == (site["ops"] or ["—"])
    points = report["sync_points"]
    figures = frame.locator(".figures").inner_text()
    assert f"{points['count']:,}" in figures
    assert f"{report['savings']['ceiling_us'] / 1000:.1f}{NARROW_SPACE}ms" in figures
    assert report["trace"]["devices"][0] in (frame.locator("body").text_content() or "")


@IN_LIGHT
def test_a_run_of_the_hook_opens_at_once_and_says_that_it_saw_no_gpu(page: Page, address: str) -> None:
    frame = open_in_tensorboard(page, address, "demo/before")
    expect(frame.locator("h1")).to_contain_text("Recorded without a GPU", timeout=PATIENCE_MS)


@IN_LIGHT
def test_the_keys_work_as_soon_as_the_tab_is_shown(page: Page, address: str) -> None:
    frame = open_in_tensorboard(page, address, "sam_amg_a100")
    page.keyboard.press("3")
    expect(frame.locator("nav [aria-current=page]")).to_contain_text("Sync points")


@IN_LIGHT
def test_a_site_opens_to_its_evidence_rule_and_fix(page: Page, address: str) -> None:
    frame = open_in_tensorboard(page, address, "h100_bert_small_infer", "syncs")
    frame.locator('tr[data-site="0"]').click()
    drawer = frame.locator("aside.drawer, .drawer").first
    expect(drawer).to_contain_text("SYN02")
    expect(drawer).to_contain_text("torch._assert_async")
    expect(drawer.locator("svg[aria-label]").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(frame.locator(".drawer")).to_have_count(0)


@IN_BOTH_THEMES
def test_a_damaged_file_says_what_is_wrong_and_the_others_stay(page: Page, address: str) -> None:
    frame = open_in_tensorboard(page, address, "damaged")
    expect(frame.locator("body")).to_contain_text("can't be shown", timeout=PATIENCE_MS)
    assert axe_violations(page) == ""
    frame = open_in_tensorboard(page, address, "h100_transformer_clean")
    expect(frame.locator("h1")).to_contain_text("it launches kernels more slowly", timeout=PATIENCE_MS)


@IN_LIGHT
def test_nothing_recorded_shows_how_to_record(page: Page, tmp_path: pathlib.Path) -> None:
    (tmp_path / "logs").mkdir()
    with tensorboard(tmp_path / "logs") as address:
        frame = open_in_tensorboard(page, address)
        expect(frame.locator("body")).to_contain_text("TrainerHook")


@pytest.mark.parametrize("run", ["sam_amg_a100", "demo/before", "h100_transformer_clean"])
def test_axe_finds_no_violation_in_any_view(page: Page, address: str, run: str) -> None:
    frame = open_in_tensorboard(page, address, run)
    for view in ("Overview", "Sync points", "Copies"):
        frame.locator("nav a", has_text=view).click()
        expect(frame.locator("nav [aria-current=page]")).to_contain_text(view)
        # The bar changes at once, the view when its part of the program is there.
        expect(frame.locator("h1").first).to_be_attached()
        if run == "sam_amg_a100" and view != "Overview":
            frame.locator("tr[data-site]").first.click()
            expect(frame.locator(".drawer").first).to_be_visible()
        assert axe_violations(page) == ""


@IN_LIGHT
@pytest.mark.parametrize(
    ("run", "view"),
    [
        ("job", "job"),
        ("known_moved", "compare"),
        ("demo/before", "overview"),
        ("sam_amg_a100", "copies"),
        ("sam_amg_a100", "syncs"),
        ("sam_amg_a100", "checks"),
    ],
)
def test_the_bars_stay_since_the_page_below_them_scrolls_alone(
    page: Page, address: str, run: str, view: str
) -> None:
    page.set_viewport_size({"width": 1400, "height": 400})
    frame = open_tab(page, address, run, view)
    expect(frame.locator("main h1").first).to_be_attached()
    assert page.evaluate("document.scrollingElement.scrollHeight <= innerHeight")


@IN_LIGHT
def test_no_request_leaves_the_host_and_no_policy_is_broken(page: Page, address: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_in_tensorboard(page, address, "sam_amg_a100", "syncs").locator("tr[data-site]").first.click()
    own = [url for url in asked if "/data/plugin/tbprof/" in url]
    assert own
    assert all(urllib.parse.urlsplit(url).hostname == "localhost" for url in own)


def test_both_tabs_are_listed(address: str) -> None:
    with urllib.request.urlopen(f"{address}/data/plugins_listing") as answer:
        listing = json.load(answer)
    assert listing["tbprof"]["enabled"]
    assert "pytorch_profiler" in listing


@IN_LIGHT
@pytest.mark.exhaustive
def test_it_works_under_a_path_prefix(page: Page, logdir: pathlib.Path) -> None:
    """As the notebook's test does, whose server has one too; here in TensorBoard's own page."""
    with tensorboard(logdir, "--path_prefix", "/team/a") as address:
        frame = open_in_tensorboard(page, f"{address}/team/a", "h100_bert_small_infer", "syncs")
        expect(frame.locator("tr[data-site]").first).to_be_visible(timeout=PATIENCE_MS)
