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
from tbprof.model.figures import Remedy
from tbprof.standard_streams import SUBSTITUTES
from tbprof.texts.rule_pages import RuleText, all_rules

REPOSITORY = Path(__file__).parents[2]
FOLDER = Path(tbprof.__file__).parent / "manual"


def test_the_list_has_every_page_once() -> None:
    assert sorted(page.name for page in all_pages()) == sorted(path.stem for path in FOLDER.glob("*.md"))


def test_an_unknown_page_is_answered_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match="no manual page 'hooks': the pages are hook, frameworks, commands"):
        manual_text("hooks")


def opens_with_title_and_one_sentence(page: ManualText) -> bool:
    is_one_sentence = page.summary.endswith(".") and ". " not in page.summary
    return page.markdown.startswith(f"# {page.title}\n\n") and is_one_sentence


def test_a_page_opens_with_its_title_and_one_sentence() -> None:
    assert [page.name for page in all_pages() if not opens_with_title_and_one_sentence(page)] == []


def test_a_page_fits_a_terminal_and_every_encoding() -> None:
    for page in all_pages():
        assert [line for line in page.markdown.splitlines() if len(line) > 115] == [], page.name
        assert {sign for sign in page.markdown if not sign.isascii()} - set(SUBSTITUTES) == set(), page.name


def blocks() -> Iterator[tuple[str, str, str]]:
    """The page, the language and the text of each block of code."""
    for page in all_pages():
        yield from ((page.name, language, text) for language, text in code_blocks(page.markdown))


def test_shell_blocks_are_commands_that_exist() -> None:
    lines = [
        (name, line) for name, language, text in blocks() if language == "" for line in text.splitlines()
    ]
    assert [f"{name}: {problem}" for name, line in lines for problem in problems_of_line(line)] == []


def test_python_blocks_are_python() -> None:
    known = ("", "text", "python", "json", "bash", "nginx", "caddy")
    assert {language for _, language, _ in blocks()} - set(known) == set()
    for name, language, text in blocks():
        if language == "python":
            ast.parse(text, name)


OF_OTHERS = frozenset(
    (
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
    )
)
"""Options of docker, in the answer about CUPTI, of systemd, TensorBoard, nsys and rocprofv3."""


def test_every_option_and_command_in_the_prose_exists() -> None:
    spans = [(page.name, span) for page in all_pages() for span in re.findall(r"`([^`\n]+)`", page.markdown)]
    options = {(name, option) for name, span in spans for option in re.findall(r"(?<!\S)--[a-z_-]+", span)}
    known = options_of_all() | OF_OTHERS | {"--completion"}
    assert [named for named in sorted(options) if named[1] not in known] == []
    named = {(name, *span.split()[1:2]) for name, span in spans if re.match("tbprof [^-]", span)}
    assert [each for each in sorted(named) if each[1] not in commands()] == []


def test_every_command_has_its_part() -> None:
    headings = re.findall(r"^## tbprof (\w+)$", manual_text("commands").markdown, re.MULTILINE)
    assert sorted(headings) == sorted(commands())


def test_pages_that_a_page_names_exist() -> None:
    named = {name for page in all_pages() for name in re.findall(r"\bpage\s`(\w+)`", page.markdown)}
    assert named
    assert named <= {page.name for page in all_pages()}


def parts_that_the_page_lacks(rule: RuleText, markdown: str) -> list[str]:
    _, _, rest = markdown.partition(f"\n## {rule.code} {rule.name}\n")
    part = rest.partition("\n## ")[0]
    printed = f"{part}{' '.join(part.split())}"
    parts = (f"**{rule.title}.**", "**Fix.**", "**When it stays silent.**", "Before:", "After:")
    return [f"{rule.code}: {each}" for each in parts if each not in printed]


def test_every_rule_is_printed_from_its_docstring() -> None:
    page = manual_text(RULES_PAGE).markdown
    assert [part for rule in all_rules() for part in parts_that_the_page_lacks(rule, page)] == []


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


NOT_WRITTEN = {"facts", "ranked", "total", "instance", "sequence"} | {"figures", "remedy"} | keys_of(Remedy)
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
