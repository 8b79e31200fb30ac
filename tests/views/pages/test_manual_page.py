"""A page of the manual as blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from tbprof.manual.pages import all_pages
from tbprof.views.pages import ManualBlock, ManualEntry, ManualWords, manual_page


@dataclass(frozen=True)
class Written:
    markdown: str
    name: str = "hook"
    title: str = "The hook"
    summary: str = "How to record."


def blocks(markdown: str) -> tuple[ManualBlock, ...]:
    return manual_page(Written(f"# The hook\n\n{markdown}"), ()).blocks


def test_headings_paragraphs_and_items_are_one_line_each() -> None:
    assert blocks("one\ntwo\n\n## Next\n\n- first\n  goes on\n- second\n\nend\n") == (
        ManualBlock("text", "one two"),
        ManualBlock("heading", "Next"),
        ManualBlock("item", "first goes on"),
        ManualBlock("item", "second"),
        ManualBlock("text", "end"),
    )


def test_code_keeps_its_lines_and_is_never_prose() -> None:
    fenced = "before\n```python\nfor x in y:\n    # - no item\n\n    f(x)\n```\nafter"
    assert blocks(fenced) == (
        ManualBlock("text", "before"),
        ManualBlock("code", "for x in y:\n    # - no item\n\n    f(x)"),
        ManualBlock("text", "after"),
    )


def test_a_fence_that_nobody_closes_ends_with_the_page() -> None:
    assert blocks("```\na\nb") == (ManualBlock("code", "a\nb"),)


def test_the_list_of_pages_goes_with_each() -> None:
    page = manual_page(Written("# The hook\n"), (Written(""), Written("", name="tab", title="The tab")))
    assert page.pages == (
        ManualEntry("hook", "The hook", "How to record."),
        ManualEntry("tab", "The tab", "How to record."),
    )
    assert (page.name, page.title, page.blocks) == ("hook", "The hook", ())


@pytest.mark.parametrize("page", all_pages(), ids=lambda page: page.name)
def test_no_page_uses_a_form_that_the_tab_would_show_raw(page: ManualWords) -> None:
    prose = [block.text for block in manual_page(page, ()).blocks if block.kind != "code"]
    starts = ("#", "|", "> ", "1. ", "![", "<br")
    drawn = (re.sub("`[^`]*`", "", text).replace("**", "") for text in prose)
    assert [text for text in drawn if text.startswith(starts) or re.search(r"\]\(|`|\*", text)] == []
