"""A finding as markdown, to be sent to somebody."""

from __future__ import annotations

import dataclasses

from source_scene import known_training

from tbprof.model import Report, Source
from tbprof.views.finding_markdown import finding_text

REPORT = known_training()


def text(rule: str, report: Report = REPORT) -> str:
    finding = next(one for one in report.findings if one.rule == rule)
    return finding_text(report, finding).markdown


def test_it_has_the_line_the_figures_the_code_and_the_fix() -> None:
    lines = text("CPY01").split("\n")
    assert lines[0] == "### CPY01 pageable-h2d: `train.py:12` train"
    assert ">   12         inputs = images.to(device)" in lines
    assert "     8     running = 0.0" in lines
    assert not any("confusion" in line for line in lines)
    assert "non_blocking=True" in text("CPY01")


def test_a_line_that_is_not_sure_says_which_it_can_be() -> None:
    found = text("SYN02")
    assert "(the call is on one of 15, 17)" in found.split("\n")[0]
    assert found.count("\n>") == 2


def test_a_finding_without_sites_is_about_the_window() -> None:
    assert text("LCH02").startswith("### LCH02 host-bound: the window")


def test_names_and_code_can_end_no_part_of_it() -> None:
    evil = Source("a`|b.py", 3, "<b>*f*</b>", exact=True, candidates=())
    site = dataclasses.replace(REPORT.sites[0], source=evil)
    sources = (dataclasses.replace(REPORT.sources[0], file="a`|b.py", text="a\nb\n```\n"),)
    report = dataclasses.replace(REPORT, sites=(site, *REPORT.sites[1:]), sources=sources)
    found = text("CPY01", report)
    assert "`a\u02cb/b.py:3` \\<b\\>\\*f\\*\\</b\\>" in found
    assert found.count("```") == 4
