"""The timeline: the figures of the command line, by hand and by keys alone."""

from __future__ import annotations

import json
import pathlib
import re
import urllib.parse
from typing import Any

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, Route, expect
from recorded_runs import HARD_NAMES
from tab import IN_BOTH_THEMES, IN_LIGHT, PATIENCE_MS, axe_violations, open_tab
from tensorboard_server import report_of

pytestmark = pytest.mark.browser


@IN_LIGHT
def test_in_a_narrow_window_no_tool_lies_on_another(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 1000, "height": 800})
    frame = open_tab(page, address, "sam_amg_a100", "timeline")
    expect(frame.locator("#step-figures")).to_contain_text("idle")
    field, text = (frame.locator(one).bounding_box() for one in (".field.search input", "#step-figures"))
    assert field is not None
    assert text is not None
    is_beside = field["x"] + field["width"] <= text["x"]
    assert is_beside or field["y"] + field["height"] <= text["y"]


NARROW_SPACE = "\u202f"
PERFETTO = "https://ui.perfetto.dev"
FAKE = """<!doctype html><title>Perfetto</title><script>
addEventListener("message", (event) => {
  if (event.data === "PING") event.source.postMessage("PONG", event.origin);
  else if (event.data.perfetto) {
    document.title = event.data.perfetto.title;
    document.body.textContent = new TextDecoder().decode(event.data.perfetto.buffer);
  }
});
</script><body>"""
"""Stands for ui.perfetto.dev, which a test may not reach, and speaks as its documentation says."""


def open_timeline(page: Page, address: str, run: str) -> FrameLocator:
    frame = open_tab(page, address, run, "timeline")
    # Its label is that of the step once the answer about the step is there, for which keys wait.
    canvas = frame.locator('canvas.lanes[data-drawn][aria-label^="Timeline of"]')
    expect(canvas).to_be_visible(timeout=PATIENCE_MS)
    return frame


def sample(logdir: pathlib.Path, run: str) -> Any:
    return report_of(next((logdir / run).glob("*.json.gz")))


def exact(microseconds: float) -> str:
    text = f"{microseconds:,.3f}".rstrip("0").rstrip(".")
    return f"{text}{NARROW_SPACE}µs"


@IN_LIGHT
def test_a_step_has_the_figures_of_the_command_line(page: Page, address: str, logdir: pathlib.Path) -> None:
    report = sample(logdir, "h100_transformer_clean")
    frame = open_timeline(page, address, "h100_transformer_clean")
    for index, step in enumerate(report["steps"]):
        if step["cold"]:
            continue
        share = f"idle {round(step['device_idle_us'] / step['duration_us'] * 100)}{NARROW_SPACE}%"
        expect(frame.locator("#step-figures")).to_contain_text(share)
        together = frame.locator("table tfoot td").first
        expect(together).to_have_attribute("title", exact(step["device_idle_us"]))
        if index < len(report["steps"]) - 1:
            frame.get_by_role("button", name="Next step").click()


@IN_LIGHT
def test_lanes_are_named_in_their_order_and_drawn(page: Page, address: str) -> None:
    frame = open_timeline(page, address, "sam_amg_a100")
    names = frame.locator(".lane-names li > div:first-child").all_inner_texts()
    assert names[:2] == ["GPU idle", "GPU use"]
    assert names.index("Launch queue") < names.index("Sync and copy") < names.index("Main thread")
    expect(frame.locator("canvas.lanes")).to_have_attribute("data-drawn", re.compile(r"^[1-9]\d{2,}$"))
    label = frame.locator("canvas.lanes").get_attribute("aria-label") or ""
    assert "Refilling after a sync" in label


@IN_LIGHT
def test_keys_alone_lead_through_the_step(page: Page, address: str) -> None:
    frame = open_timeline(page, address, "sam_amg_a100")
    tracks = frame.get_by_role("region", name="Tracks")
    card = frame.locator("section.selection")
    tracks.press("g")
    expect(card).to_contain_text("The GPU did nothing for")
    expect(page).to_have_url(re.compile(r"selected=g\d+"))
    tracks.press("f")
    expect(page).to_have_url(re.compile(r"start=\d+"))
    tracks.press(".")
    expect(page).to_have_url(re.compile(r"selected=e\d+"))
    expect(card).to_contain_text("into the step")
    for key in "wwads,":
        tracks.press(key)
    tracks.press("Escape")
    expect(card).to_have_count(0)
    tracks.press("?")
    expect(frame.get_by_role("dialog", name="Keyboard")).to_contain_text("next largest gap")


@IN_LIGHT
def test_a_link_opens_what_was_looked_at(page: Page, address: str) -> None:
    frame = open_timeline(page, address, "sam_amg_a100")
    frame.get_by_role("region", name="Tracks").press("g")
    expect(frame.locator("section.selection")).to_contain_text("The GPU did nothing for")
    frame.get_by_role("region", name="Tracks").press("f")
    expect(page).to_have_url(re.compile(r"start=\d+"))
    said = frame.locator("section.selection").inner_text()
    page.goto("about:blank")
    page.go_back()
    expect(frame.locator("section.selection")).to_be_visible(timeout=PATIENCE_MS)
    assert frame.locator("section.selection").inner_text() == said


@IN_LIGHT
def test_a_search_leads_from_one_to_the_next(page: Page, address: str) -> None:
    frame = open_timeline(page, address, "sam_amg_a100")
    field = frame.get_by_label("Find a kernel, op, call or label")
    field.fill("nonzero")
    field.press("Enter")
    expect(frame.locator(".field.search [role=status]")).to_have_text(re.compile(r"^\d+ of \d+"))
    expect(frame.locator("section.selection h2")).to_contain_text("nonzero")
    field.fill("there is no such name")
    field.press("Enter")
    expect(frame.locator(".field.search [role=status]")).to_have_text("none")


@IN_LIGHT
def test_a_site_is_shown_in_the_timeline(page: Page, address: str) -> None:
    frame = open_tab(page, address, "sam_amg_a100", "syncs")
    frame.locator("tr[data-site]").first.click()
    frame.get_by_role("button", name="Show in the timeline").click()
    expect(frame.locator("section.selection")).to_contain_text("The host waited", timeout=PATIENCE_MS)
    frame.locator("section.selection").get_by_role("button", name="Sync point").click()
    expect(frame.locator(".drawer")).to_be_visible()


@IN_LIGHT
def test_a_click_selects_and_a_drag_marks_a_stretch(page: Page, address: str) -> None:
    frame = open_timeline(page, address, "sam_amg_a100")
    canvas = frame.locator("canvas.lanes")
    box = canvas.bounding_box()
    assert box is not None
    lanes = frame.locator(".lane-names li")
    episodes = lanes.filter(has_text="Sync and copy").bounding_box()
    assert episodes is not None
    # The first long wait of this trace covers a sixth of the window.
    page.mouse.click(box["x"] + box["width"] * 0.2, episodes["y"] + episodes["height"] / 2)
    expect(frame.locator("section.selection")).to_contain_text("The host waited")
    page.mouse.move(box["x"] + 200, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 300, box["y"] + 20, steps=3)
    page.mouse.up()
    frame.get_by_role("button", name="Fit the selection").click()
    expect(page).to_have_url(re.compile(r"start=[1-9]\d*"))


@IN_BOTH_THEMES
@pytest.mark.parametrize("run", ["sam_amg_a100", "demo/before"])
def test_axe_finds_no_violation(page: Page, address: str, run: str) -> None:
    frame = open_timeline(page, address, run)
    frame.get_by_role("region", name="Tracks").press("g")
    assert axe_violations(page) == ""


@IN_LIGHT
def test_the_step_is_handed_to_perfetto_with_what_was_found(page: Page, address: str) -> None:
    page.context.route(f"{PERFETTO}/**", lambda route: route.fulfill(body=FAKE, content_type="text/html"))
    page.context.route("**/data/plugin_entry.html*", with_perfetto)
    frame = open_timeline(page, address, "sam_amg_a100")
    frame.get_by_role("region", name="Tracks").press("p")
    expect(frame.locator("dialog.perfetto")).to_contain_text("Perfetto has the step", timeout=PATIENCE_MS)
    shown = frame.frame_locator("dialog.perfetto iframe").locator("body").inner_text()
    events = json.loads(shown)["traceEvents"]
    assert events[0]["args"] == {"name": "tbprof"}
    assert any(event["name"].startswith("The host waited") for event in events)
    assert axe_violations(page) == ""


def test_where_no_frame_is_allowed_a_window_is_offered(browser: Browser, address: str) -> None:
    # Not the usual page: the browser tells its console of the frame that it refuses.
    context = browser.new_context()
    context.route(f"{PERFETTO}/**", lambda route: route.fulfill(body=FAKE, content_type="text/html"))
    context.route("**/data/plugin_entry.html*", without_perfetto)
    frame = open_timeline(context.new_page(), address, "h100_transformer_clean")
    frame.get_by_role("button", name="Perfetto").click()
    expect(frame.locator("dialog.perfetto")).to_contain_text("does not let Perfetto into its page")
    with context.expect_page() as opened:
        frame.get_by_role("button", name="Open in a new window").click()
    expect(opened.value.locator("body")).to_contain_text("traceEvents", timeout=PATIENCE_MS)
    context.close()


def with_perfetto(route: Route) -> None:
    """The page as TensorBoard sends it from 2.21 on."""
    send_page(route, f"frame-src {PERFETTO} ")


def without_perfetto(route: Route) -> None:
    """The page as TensorBoard sent it before."""
    send_page(route, "frame-src ")


def send_page(route: Route, frames: str) -> None:
    answer = route.fetch()
    policy = answer.headers["content-security-policy"].replace(PERFETTO, "").replace("frame-src ", frames)
    route.fulfill(response=answer, headers={**answer.headers, "content-security-policy": policy})


@IN_LIGHT
def test_a_window_without_its_trace_says_what_that_takes_away(page: Page, address: str) -> None:
    frame = open_tab(page, address, "known", "timeline")
    expect(frame.locator("h1")).to_contain_text("The trace of this window is not here any more")
    frame.locator("nav a", has_text="Overview").click()
    expect(frame.locator("h1")).to_contain_text("The GPU is idle")


@IN_LIGHT
def test_no_request_leaves_the_host(page: Page, address: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    frame = open_timeline(page, address, "sam_amg_a100")
    frame.get_by_role("region", name="Tracks").press("g")
    own = [url for url in asked if "/data/plugin/tbprof/" in url]
    assert any("timeline_tile" in url for url in own)
    assert {urllib.parse.urlsplit(url).hostname for url in own} == {"localhost"}


@IN_LIGHT
def test_names_are_text_and_widen_nothing(page: Page, address: str) -> None:
    page.on("dialog", lambda dialog: pytest.fail(f"markup of a name ran: {dialog.message}"))
    frame = open_timeline(page, address, "named")
    for name in HARD_NAMES:
        field = frame.get_by_label("Find a kernel, op, call or label")
        field.fill(name[:20])
        field.press("Enter")
        expect(frame.locator("section.selection h2")).to_have_text(name)
    assert frame.locator("img").count() == 0
    for pane in (frame.locator("html"), frame.locator(".pane")):
        assert pane.evaluate("pane => pane.scrollWidth <= pane.clientWidth")
