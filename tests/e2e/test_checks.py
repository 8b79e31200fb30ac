"""What became of each check, as a view of its own."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect
from tab import IN_BOTH_THEMES, IN_LIGHT, axe_violations, open_tab

pytestmark = pytest.mark.browser


@IN_BOTH_THEMES
def test_failed_checks_stand_first_and_the_whole_page_leaves_axe_nothing(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_bert_small_infer", "checks")
    expect(frame.locator("h1")).to_contain_text("2 checks failed")
    expect(frame.locator("main h2")).to_contain_text(
        ["Failed", "Not checked", "Found, and worth no change here", "Passed", "Nothing to judge"]
    )
    for family in frame.locator("#passed").locator("xpath=ancestor::section").locator("summary").all():
        family.click()
    expect(frame.get_by_text("none is of this kind").first).to_be_visible()
    assert axe_violations(page) == ""


@IN_LIGHT
def test_a_button_copies_what_makes_a_check_possible(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_bert_small_infer", "checks")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    frame.get_by_role("button", name="Copy the code for a window of three steps or more").click()
    expect(frame.get_by_text("Code copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "tbprof run --active 5 train.py"


@IN_LIGHT
def test_a_code_leads_to_where_it_was_found_or_to_its_page(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_bert_small_infer", "checks")
    frame.get_by_role("button", name="LCH01", exact=True).click()
    expect(frame.get_by_role("complementary")).to_contain_text("LCH01")
    frame.get_by_role("button", name="SYN02", exact=True).click()
    expect(frame.get_by_role("complementary")).to_contain_text("is_nonzero")


@IN_LIGHT
@pytest.mark.parametrize("run", ["known", "exchanging"])
def test_a_window_without_its_trace_and_one_of_many_ranks_have_their_list(
    run: str, page: Page, address: str
) -> None:
    frame = open_tab(page, address, run, "checks")
    expect(frame.locator("main h1")).to_contain_text("could not be checked")
    expect(frame.get_by_role("heading", name="Not checked", exact=True)).to_be_visible()


@IN_LIGHT
def test_a_list_that_is_not_there_yet_or_cannot_be_had_says_so(page: Page, address: str) -> None:
    """The answer is held back, and then fails; and one of a version without checks."""
    frame = open_tab(page, address, "h100_bert_small_infer", "overview")
    held: list[Route] = []
    asked = re.compile(r"/tbprof/checks\?")
    page.route(asked, lambda route: held.append(route))
    with page.expect_request(asked):
        frame.get_by_role("link", name="Checks").click()
    expect(frame.locator("main .skel").first).to_be_visible()
    held[0].fulfill(body='{"sentence": "1 ch')
    expect(frame.get_by_text("broke off. Reload the page")).to_be_visible()
    assert axe_violations(page) == ""
    page.unroute(asked)
    nothing = {"sentence": "", "rows": [], "marks_steps": True, "missing": []}
    page.route(asked, lambda route: route.fulfill(json=nothing))
    frame.get_by_role("link", name="Overview").click()
    page.reload()
    frame.get_by_role("link", name="Checks").click()
    expect(frame.get_by_text("of a version that kept no checks")).to_be_visible()


@IN_LIGHT
def test_guides_are_linked_and_every_code_stays_inside_its_card(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_bert_small_infer", "checks")
    expect(frame.get_by_role("link", name="PyTorch's tuning guide").first).to_have_attribute(
        "rel", "noopener noreferrer"
    )
    assert page.evaluate(
        "document.querySelector('main .page').scrollWidth <= document.querySelector('main .page').clientWidth"
    )
