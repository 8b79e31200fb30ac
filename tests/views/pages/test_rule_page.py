"""A rule's page as sections."""

from __future__ import annotations

import dataclasses

from tbprof.texts.rule_pages import rule_text
from tbprof.views.pages import rule_page


def test_sections_come_in_reading_order() -> None:
    page = rule_page(rule_text("SYN01"))
    titles = [section.title for section in page.sections]
    assert titles == ["What", "Why", "Example", "Fix", "When it stays silent"]


def test_code_is_indented_by_four_spaces_and_prose_is_not() -> None:
    page = rule_page(rule_text("SYN01"))
    example = next(section.text for section in page.sections if section.title == "Example")
    lines = [line for line in example.splitlines() if line]
    assert [line for line in lines if not line.startswith("    ")] == ["before:", "after:"]


def test_empty_sections_are_left_out() -> None:
    words = dataclasses.replace(rule_text("SYN01"), why="", silent="", before="", after="", caveat="")
    page = rule_page(words)
    assert [section.title for section in page.sections] == ["What", "Fix"]
    assert page.sections[1].text == words.fix
