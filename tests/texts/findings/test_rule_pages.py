"""A rule's docstring as a page."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from tbprof.errors import UsageError
from tbprof.rules.files import rule_files
from tbprof.texts import rule_pages
from tbprof.texts.rule_pages import RuleText, all_rules, rule_text, rule_words


def problems_of(page: RuleText) -> Iterator[str]:
    if not page.title or page.title.endswith("."):
        yield f"{page.code}: its title"
    for section in ("what", "why", "fix", "silent"):
        text = getattr(page, section)
        if not text.endswith(".") or "\n" in text:
            yield f"{page.code}: the part {section}"
    for code in (page.before, page.after):
        compile(code, page.code, "exec")
        if code.startswith(" "):
            yield f"{page.code}: an example is indented"


def test_every_rule_has_a_whole_page() -> None:
    assert [problem for page in all_rules() for problem in problems_of(page)] == []


def is_an_order(action: str) -> bool:
    is_phrase = action[0].isupper() and not action.endswith(".")
    opens_as_noun = action.split()[0] in ("A", "An", "The", "This", "Every", "Several")
    return len(action) <= 65 and is_phrase and not opens_as_noun


def test_every_rule_gives_an_order_of_one_line() -> None:
    assert [page.action for page in all_rules() if not is_an_order(page.action)] == []


def test_an_example_keeps_its_indentation() -> None:
    assert rule_text("SYN01").after.splitlines()[3:5] == [
        "if step % 50 == 0:",
        "    log(running.item() / 50)",
    ]


def test_a_caveat_stands_apart_from_the_fix() -> None:
    page = rule_text("SYN01")
    assert page.caveat.startswith("The logged value is the same")
    assert "caveat" not in page.fix


def test_a_code_may_be_written_small() -> None:
    assert rule_text("syn01") == rule_text("SYN01")


@pytest.mark.parametrize("code", ["", "SYN99", "../../etc/passwd", "SYN01\0", "x" * 100_000])
def test_an_unknown_rule_is_said_with_those_that_there_are(code: str) -> None:
    with pytest.raises(UsageError, match=r"there is no rule .* the rules are SYN01"):
        rule_text(code)


@pytest.mark.parametrize("heading", ["What", "Action", "Silent"])
def test_a_page_without_a_heading_is_refused_by_file_and_heading(
    heading: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (rule,) = (file for file in rule_files() if file.code == "SYN01")
    path = tmp_path / rule.path.name
    path.write_text(rule.path.read_text(encoding="utf-8").replace(f"\n{heading}\n", "\n"), encoding="utf-8")
    monkeypatch.setattr(rule_pages, "rule_files", lambda: (dataclasses.replace(rule, path=path),))
    with pytest.raises(UsageError, match=rf"{path.name}: .* needs the heading {heading}"):
        rule_text("SYN01")


def test_all_rules_come_by_family_and_code() -> None:
    codes = [page.code for page in all_rules()]
    assert codes[:2] == ["SYN01", "SYN02"]
    assert codes == [file.code for file in rule_files()]


def test_a_rule_of_another_version_has_a_page_that_says_so() -> None:
    page = rule_words("XYZ42")
    assert page.code == "XYZ42"
    assert "another version" in page.title
    assert (page.before, page.after) == ("", "")
