"""README in two languages: what it tells to type works, what it links is there, and both say the same."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from cli_grammar import code_blocks, problems_of_line

from tbprof.cli.main import main
from tbprof.manual.pages import all_pages

REPOSITORY = Path(__file__).parents[1]
ENGLISH, CHINESE = (REPOSITORY / name for name in ("README.md", "README.zh-CN.md"))
EACH_LANGUAGE = pytest.mark.parametrize("path", [ENGLISH, CHINESE], ids=["en", "zh"])

PAGES = [page.name for page in all_pages()]

_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def prose_of(path: Path) -> str:
    return _FENCED.sub("", text_of(path))


def shell_lines(path: Path) -> list[str]:
    blocks = (block for language, block in code_blocks(text_of(path)) if language == "")
    return [line for block in blocks for line in block.splitlines()]


@EACH_LANGUAGE
def test_it_has_one_command_to_try_it_and_one_to_test_it(path: Path) -> None:
    assert shell_lines(path) == [
        "pip install '.[demo]' && tbprof demo",
        "pip install -e '.[test]' && pytest",
    ]


def test_ci_runs_the_test_command_as_it_is_written() -> None:
    assert shell_lines(ENGLISH)[1] in text_of(REPOSITORY / ".ci" / "run").splitlines()


@EACH_LANGUAGE
def test_it_is_short_and_has_one_picture(path: Path) -> None:
    lines = text_of(path).splitlines()
    assert len(lines) < 130
    assert len([line for line in lines if line.startswith("![")]) == 1


@EACH_LANGUAGE
def test_what_it_shows_first_is_what_the_command_prints(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    language, block = next(code_blocks(text_of(path)))
    command, _, shown = block.partition("\n")
    assert (language, command.split()[:2]) == ("text", ["$", "tbprof"])
    monkeypatch.chdir(REPOSITORY)
    assert main(command.split()[2:]) == 0
    printed = capsys.readouterr().out.replace("\u202f", " ")
    assert printed.startswith(shown)
    assert "\n  1. " in shown
    assert shown.count("\n") < 25


@EACH_LANGUAGE
def test_commands_exist_with_their_options(path: Path) -> None:
    named = [
        span for span in re.findall(r"`([^`\n]+)`", prose_of(path)) if re.match(r"(tbprof|pip|uvx) ", span)
    ]
    lines = [*shell_lines(path), *named]
    assert [problem for line in lines for problem in problems_of_line(line)] == []


@EACH_LANGUAGE
def test_python_is_python(path: Path) -> None:
    for language, block in code_blocks(text_of(path)):
        assert language in ("", "python", "text")
        if language == "python":
            ast.parse(block)


@EACH_LANGUAGE
def test_links_lead_to_files_of_the_repository(path: Path) -> None:
    links = re.findall(r"\]\(([^)]+)\)", text_of(path))
    assert links
    assert [link for link in links if not (REPOSITORY / link).is_file()] == []


@EACH_LANGUAGE
def test_every_page_of_the_manual_is_named(path: Path) -> None:
    last = prose_of(path).rpartition("\n## ")[2]
    assert [name for name in re.findall(r"`(\w+)`", last) if name in PAGES] == PAGES


def outline(path: Path) -> list[str]:
    """What two languages have in common, in order: levels of headings, code, rows of tables, list items."""
    found: list[str] = []
    fenced = False
    for line in text_of(path).splitlines():
        fenced ^= line.startswith("```")
        if fenced or line.startswith("```"):
            found.append(line)
        elif line.startswith("#"):
            found.append(line.split()[0])
        elif line.startswith("|"):
            found.append("|" * line.count("|"))
        elif line.startswith(("- ", "![")):
            found.append(line[:2])
    return found


def test_both_languages_have_the_same_headings_commands_tables_and_lists() -> None:
    assert outline(CHINESE) == outline(ENGLISH)


def commands_in_prose(path: Path) -> list[str]:
    return re.findall(r"`([^`\n]+)`", prose_of(path))


def test_both_languages_name_the_same_code_and_links() -> None:
    assert sorted(commands_in_prose(CHINESE)) == sorted(commands_in_prose(ENGLISH))
    links = re.compile(r"\]\(([^)]+)\)")
    assert links.findall(text_of(CHINESE)) == links.findall(text_of(ENGLISH))
