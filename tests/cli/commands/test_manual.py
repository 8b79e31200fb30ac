"""`tbprof manual`: a page, the list of pages, and no such page."""

from __future__ import annotations

import pytest

from tbprof.cli.main import main
from tbprof.manual.pages import all_pages, manual_text


def test_without_a_page_all_are_listed_with_a_sentence_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["manual"]) == 0
    *lines, _, hint = capsys.readouterr().out.splitlines()
    assert [line.split(maxsplit=1) for line in lines] == [[page.name, page.summary] for page in all_pages()]
    assert hint == "Print one with: tbprof manual PAGE"


@pytest.mark.parametrize("name", [page.name for page in all_pages()])
def test_a_page_is_printed_as_it_is_written(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["manual", name]) == 0
    assert capsys.readouterr().out == manual_text(name).markdown


def test_an_unknown_page_is_one_sentence_and_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["manual", "hooks"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("tbprof: there is no manual page 'hooks': the pages are hook, frameworks, ")
    assert printed.err.count("\n") == 1
