"""The Source view in TensorBoard: the program's own code with what was found in it."""

from __future__ import annotations

import pathlib
import re

import pytest
from playwright.sync_api import FrameLocator, Page, Route, expect
from tab import IN_BOTH_THEMES, IN_LIGHT, axe_violations, open_tab

pytestmark = pytest.mark.browser


def line(frame: FrameLocator, number: int) -> str:
    return frame.locator(f'.source li[data-line="{number}"]').inner_text()


@IN_BOTH_THEMES
def test_lines_have_their_code_their_savings_and_their_remarks(page: Page, address: str) -> None:
    frame = open_tab(page, address, "known", "source")
    expect(frame.locator(".tool")).to_contain_text("4f1c2a9")
    expect(frame.locator(".elsewhere")).to_be_visible()
    frame.locator(".files button", has_text="train.py").click()
    expect(frame.locator(".source li[data-line]")).to_have_count(23)
    assert "inputs = images.to(device)" in line(frame, 12)
    assert "65" in line(frame, 12)
    assert "inputs = images.to(device, non_blocking=True)" in line(frame, 12)
    assert "one of 15, 17" in line(frame, 17)
    assert "56" in line(frame, 19)
    assert "SYN01" in line(frame, 19)
    assert axe_violations(page) == ""


def test_the_keys_go_from_finding_to_finding_and_to_the_evidence(page: Page, address: str) -> None:
    frame = open_tab(page, address, "known", "source")
    expect(frame.locator("li.current")).to_have_attribute("data-line", "12")
    frame.locator(".source .tool b").click()
    for number in ("15", "19", "5", "12"):
        page.keyboard.press("j")
        expect(frame.locator("li.current")).to_have_attribute("data-line", number)
    for number in ("5", "19"):
        page.keyboard.press("k")
        expect(frame.locator("li.current")).to_have_attribute("data-line", number)
    assert "p.tbprof.line=19" in page.url
    frame.locator("li.current .remark button", has_text="Evidence").focus()
    page.keyboard.press("Enter")
    expect(frame.locator("aside.drawer")).to_contain_text("A scalar is read back")
    expect(frame.locator("aside.drawer .excerpt li.here")).to_contain_text("running += loss.item()")
    assert axe_violations(page) == ""


@IN_LIGHT
def test_a_remark_beside_code_ends_with_the_page(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 1000, "height": 700})
    frame = open_tab(page, address, "known", "source")
    note = frame.locator(".line-note .link, .line-note .t3").first
    note.evaluate("note => { note.textContent = 'waits in a library; '.repeat(20) }")
    pane = frame.locator(".source-code > .pane")
    assert pane.evaluate("pane => pane.scrollWidth <= pane.clientWidth")


@IN_LIGHT
def test_a_site_leads_to_its_line(page: Page, address: str) -> None:
    frame = open_tab(page, address, "known", "syncs")
    frame.locator('tr[data-site="2"]').click()
    page.keyboard.press("o")
    expect(frame.locator("nav [aria-current=page]")).to_contain_text("Source")
    expect(frame.locator("li.current")).to_contain_text("predicted = predicted.cpu()")


@IN_LIGHT
def test_a_finding_and_a_place_are_copied(page: Page, address: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    frame = open_tab(page, address, "known", "source")
    frame.locator(".remark button", has_text="Copy as markdown").first.click()
    expect(frame.locator(".toast")).to_have_text("Finding copied")
    assert page.evaluate("navigator.clipboard.readText()").startswith("### CPY01 ")
    frame.locator(".source .tool b").click()
    page.keyboard.press("y")
    expect(frame.locator(".toast")).to_have_text("Location copied")
    assert page.evaluate("navigator.clipboard.readText()") == "train.py:12"


def test_the_editor_is_the_users_choice_and_is_kept(page: Page, address: str) -> None:
    frame = open_tab(page, address, "known", "source")
    editor = frame.locator(".tool a", has_text="Editor")
    assert editor.get_attribute("href") == "vscode://file/train.py:12"
    frame.locator(".tool").get_by_label("Choose the editor").click()
    field = frame.locator("dialog[open] input")
    field.fill("javascript://{path}")
    expect(frame.locator("dialog[open] button[type=submit]")).to_be_disabled()
    assert axe_violations(page) == ""
    field.fill("idea://open?file=/src/{path}&line={line}")
    page.keyboard.press("Enter")
    expect(editor).to_have_attribute("href", "idea://open?file=/src/train.py&line=12")
    page.reload()
    expect(editor).to_have_attribute("href", "idea://open?file=/src/train.py&line=12")


def test_a_trace_without_code_shows_its_lines_and_says_why(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_bert_small_infer", "source")
    expect(frame.locator(".files")).to_contain_text("embed_source")
    frame.locator(".files summary").click()
    frame.locator(".files button", has_text="modeling_attn_mask_utils.py").click()
    expect(frame.locator('li[data-line="429"]')).to_contain_text("line of its def")
    assert axe_violations(page) == ""


def test_a_run_on_a_cpu_shows_the_code_that_the_hook_kept(
    page: Page, address: str, logdir: pathlib.Path
) -> None:
    assert list((logdir / "demo" / "before").glob("*.tbprof.pb"))
    frame = open_tab(page, address, "demo/before", "source")
    predicted = frame.locator("li.predicted")
    expect(predicted.first).to_contain_text("would wait for a GPU")
    frame.get_by_role("button", name="Next finding").click()
    expect(predicted.nth(1)).to_have_class(re.compile(r"\bcurrent\b"))
    assert axe_violations(page) == ""


@IN_BOTH_THEMES
def test_on_a_wide_screen_every_view_fits_with_its_drawer(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 1600, "height": 1000})
    frame = open_tab(page, address, "known", "syncs", site="0")
    for view in ("Sync points", "Copies", "Source", "Overview"):
        frame.locator("nav a", has_text=view).click()
        expect(frame.locator("aside.drawer .excerpt")).to_be_visible()
        for pane in [frame.locator("html"), *frame.locator(".pane").all()]:
            assert pane.evaluate("pane => pane.scrollWidth <= pane.clientWidth"), view
        assert axe_violations(page) == ""


@IN_LIGHT
def test_code_that_was_shown_is_shown_again_whatever_another_run_does(page: Page, address: str) -> None:
    held: list[Route] = []
    page.route(re.compile(r"/source\?.*run=known_moved"), lambda route: held.append(route))
    frame = open_tab(page, address, "known", "source")
    expect(frame.locator(".files")).to_contain_text(re.compile(r"steptrain\.py"))
    page.evaluate("location.hash = location.hash.replace('run=known', 'run=known_moved')")
    expect(frame.locator(".source")).to_have_count(0)
    expect(frame.locator(".skel").first).to_be_visible()
    assert held
    page.go_back()
    expect(frame.locator(".files")).to_contain_text(re.compile(r"steptrain\.py"))
