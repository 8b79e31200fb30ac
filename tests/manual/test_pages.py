"""The manual is true: every command, option, key and rule in it is there, and the other way round."""

from __future__ import annotations

import ast
import dataclasses
import re
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_grammar import code_blocks, commands, options_of_all, problems_of_line
from hatchling.builders.wheel import WheelBuilder

import tbprof
from tbprof.errors import UsageError
from tbprof.manual.pages import RULES_PAGE, ManualText, all_pages, manual_text
from tbprof.model import Instance, RankSequence, Report
from tbprof.standard_streams import SUBSTITUTES
from tbprof.texts.rule_pages import RuleText, all_rules

REPOSITORY = Path(__file__).parents[2]
FOLDER = Path(tbprof.__file__).parent / "manual"

EACH_PAGE = pytest.mark.parametrize("page", all_pages(), ids=lambda page: page.name)


def test_the_list_has_every_page_once() -> None:
    assert sorted(page.name for page in all_pages()) == sorted(path.stem for path in FOLDER.glob("*.md"))


def test_an_unknown_page_is_answered_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match="no manual page 'hooks': the pages are hook, frameworks, commands"):
        manual_text("hooks")


@EACH_PAGE
def test_a_page_opens_with_its_title_and_one_sentence(page: ManualText) -> None:
    assert page.markdown.startswith(f"# {page.title}\n\n")
    assert page.summary.endswith(".")
    assert page.summary.count(". ") == 0


@EACH_PAGE
def test_a_page_fits_a_terminal_and_every_encoding(page: ManualText) -> None:
    prose = [line for line in page.markdown.splitlines() if len(line) > 115]
    assert prose == []
    assert {sign for sign in page.markdown if not sign.isascii()} <= set(SUBSTITUTES)


@EACH_PAGE
def test_shell_blocks_are_commands_that_exist(page: ManualText) -> None:
    lines = [
        line for language, text in code_blocks(page.markdown) if language == "" for line in text.splitlines()
    ]
    assert [problem for line in lines for problem in problems_of_line(line)] == []


@EACH_PAGE
def test_python_blocks_are_python(page: ManualText) -> None:
    for language, text in code_blocks(page.markdown):
        assert language in ("", "python", "json", "bash", "nginx", "caddy")
        if language == "python":
            ast.parse(text)


@EACH_PAGE
def test_every_option_and_command_in_the_prose_exists(page: ManualText) -> None:
    spans = re.findall(r"`([^`\n]+)`", page.markdown)
    # One of docker's, in the answer about CUPTI, one of systemd's, TensorBoard's, nsys' and rocprofv3's.
    options = {option for span in spans for option in re.findall(r"(?<!\S)--[a-z_-]+", span)} - {
        "--bind_all",
        "--cap-add",
        "--logdir",
        "--output-format",
        "--runtime-trace",
        "--type",
        "--scope",
        "--load_fast",
        "--tbprof_follow_links",
        "--tbprof_hosts",
    }
    assert options <= options_of_all()
    named = {span.split()[1] for span in spans if span.startswith("tbprof ") and len(span.split()) > 1}
    assert named <= commands().keys()


def test_every_command_has_its_part() -> None:
    headings = re.findall(r"^## tbprof (\w+)$", manual_text("commands").markdown, re.MULTILINE)
    assert sorted(headings) == sorted(commands())


def test_pages_that_a_page_names_exist() -> None:
    named = {name for page in all_pages() for name in re.findall(r"\bpage\s`(\w+)`", page.markdown)}
    assert named
    assert named <= {page.name for page in all_pages()}


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_every_rule_is_printed_from_its_docstring(rule: RuleText) -> None:
    _, _, rest = manual_text(RULES_PAGE).markdown.partition(f"\n## {rule.code} {rule.name}\n")
    part = rest.partition("\n## ")[0]
    assert f"**{rule.title}.**" in " ".join(part.split())
    for heading in ("**Fix.**", "**When it stays silent.**", "Before:", "After:"):
        assert heading in part


def records_in(hint: typing.Any) -> Iterator[type]:
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        yield hint
    for part in typing.get_args(hint):
        yield from records_in(part)


NOT_IN_JSON = {Instance, RankSequence}
"""For the tab alone, and for the analysis of the job."""


def keys_of(record: type) -> set[str]:
    """The keys that the JSON of a record has, with those of the records in it."""
    hints = typing.get_type_hints(record)
    keys = {re.sub("_ns$", "_us", name) for name in hints}
    inner = {each for hint in hints.values() for each in records_in(hint)} - NOT_IN_JSON
    return keys.union(*map(keys_of, inner))


def keys_of_report() -> set[str]:
    """All keys of the JSON but those inside the hook's facts and the code, which the page tells in words."""
    hints = typing.get_type_hints(Report)
    inner = {
        each
        for name, hint in hints.items()
        if name not in ("facts", "sources", "ranked")
        for each in records_in(hint)
    }
    keys = {re.sub("_ns$", "_us", name) for name in hints}.union(*map(keys_of, inner))
    return keys - NOT_WRITTEN | ADDED


NOT_WRITTEN = {"facts", "ranked", "total", "instance", "sequence"}
"""Fields that have another name in JSON, that stand there without their own, or that are the tab's alone."""
ADDED = {"schema", "hook", "message"}


def test_the_page_of_the_report_has_exactly_the_keys_of_a_report() -> None:
    blocks = [text for language, text in code_blocks(manual_text("report").markdown) if language == "json"]
    written = {key for text in blocks for key in re.findall(r'"(\w+)":', text)}
    assert written == keys_of_report()


def test_a_wheel_holds_every_page() -> None:
    files = WheelBuilder(str(REPOSITORY)).recurse_included_files()
    packed = {each.distribution_path for each in files}
    assert {f"tbprof/manual/{page.name}.md" for page in all_pages()} <= packed
