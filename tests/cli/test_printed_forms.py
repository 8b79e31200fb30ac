"""Names of a trace stay text in each form that is printed: no link, tag or control sequence holds one.

Each form is read as whatever shows it does: by a parser of Markdown, of HTML, and of ECMA-48.
"""

from __future__ import annotations

import dataclasses
import html.parser
import re
from collections.abc import Iterator

import pytest
from hostile_text import MARKUP, STEERING, hostile_trace
from markdown_it import MarkdownIt

from tbprof.cli.check_text import check_comment
from tbprof.cli.checks_text import checks_markdown
from tbprof.cli.commands.table import FORMS
from tbprof.cli.markdown import markdown
from tbprof.cli.terminal import terminal_text
from tbprof.escaping import escaped, prose
from tbprof.html_report.table_markup import table_markdown, table_page
from tbprof.report import build_report, open_facts
from tbprof.views.check import Baseline, Recording
from tbprof.views.check_view import check_view
from tbprof.views.checks import checks_view
from tbprof.views.tables.tables import TABLES

MORE = (
    *("@octocat", "a@evil.example", "http://evil.example/a", "www.evil.example", "mailto:a@evil.example"),
    *("**evil**", "_evil_", "~~evil~~", "`evil", "evil` `", "| evil | b", "# evil", "- evil", "1. evil"),
    *("\n\nevil\n===", "\n    evil", "[evil]: http://evil.example", "<http://evil.example>", "&lt;evil&gt;"),
)
PAYLOADS = (*MARKUP, *MORE, *STEERING)
OF_A_PAYLOAD = re.compile(r"evil|owned|octocat|top\.ran")

CONTROL_SEQUENCE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
"""What ECMA-48 gives a meaning; a line feed is the program's own."""
WORKFLOW_COMMAND = re.compile(r"^\s*::|##\[", re.MULTILINE)
OWN_TAGS = re.compile(r"</?(?:br|code)>")

PRINTED_TABLES = ("operators", "kernels", "modules", "collectives")


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Each form of a trace whose every name holds one of the payloads."""
    path = tmp_path_factory.mktemp("hostile") / "a_rank0.1752215573993169006.pt.trace.json"
    path.write_bytes(hostile_trace(PAYLOADS))
    report = build_report(path)
    found = {"text": terminal_text(report), "markdown": markdown(report)}
    found["list markdown"] = "\n".join(checks_markdown(checks_view(report)))
    for name in PRINTED_TABLES:
        source = TABLES[name]
        table = source.make(open_facts(path, tables=source.reads), "name", in_steps=False)
        found |= {f"{name} markdown": table_markdown(table), f"{name} html": table_page(table)}
        found |= {f"{name} {form}": FORMS[form](table) for form in ("text", "csv")}
    return found


def test_a_terminal_and_a_log_are_steered_by_none(printed: dict[str, str]) -> None:
    for name, text in printed.items():
        assert CONTROL_SEQUENCE.findall(text) == [], name
        assert WORKFLOW_COMMAND.findall(text) == [], name


def test_markdown_takes_none_for_markup(printed: dict[str, str]) -> None:
    for name in (name for name in printed if name.endswith("markdown")):
        assert markup_in(printed[name]) == [], name


def test_html_takes_none_for_a_tag(printed: dict[str, str]) -> None:
    for name in (name for name in printed if name.endswith("html")):
        tags = tags_in(printed[name])
        assert [tag for tag in tags if OF_A_PAYLOAD.search(tag)] == [], name
        assert not {tag.split()[0] for tag in tags} & {"img", "script", "a", "svg", "iframe", "base", "link"}


def lines_with(payload: str) -> Iterator[str]:
    for text in (escaped(payload), prose(payload), prose(f"`x` of {payload}"), f"**{prose(payload)}** evil"):
        yield from (text, f"- {text}", f"| a |\n|---|\n| {text} |")


def test_nor_where_a_line_begins_or_ends_with_it() -> None:
    found = {line: markup_in(line) for payload in PAYLOADS for line in lines_with(payload)}
    assert [line for line, marks in found.items() if any("strong" not in mark for mark in marks)] == []


def test_a_comment_has_none_either() -> None:
    view = check_view(
        [Recording("x", True, 3, 3, (), ())], Baseline((), steps=3, is_former=False), forbidden=(), budgets=[]
    )
    for payload in PAYLOADS:
        said = dataclasses.replace(view, doubts=(f"{payload} can't be read",), unjudged=(payload,))
        assert markup_in(check_comment(said, str)) == []


def tags_in(page: str) -> list[str]:
    tags: list[str] = []
    parser = html.parser.HTMLParser()
    parser.handle_starttag = lambda tag, given: tags.append(f"{tag} {given}")  # type: ignore[method-assign]
    parser.feed(page)
    return tags


def markup_in(text: str) -> list[str]:
    """Each link, picture, tag, emphasis and mention that a payload is in."""
    found: list[str] = []
    for token in MarkdownIt("gfm-like", {"html": True}).parse(text):
        inner = token.children or []
        if token.type == "html_block":
            found.append(token.content)
        open_ = [one.type for one in inner if one.type.endswith("_open") or one.type == "image"]
        found += [
            f"{one.type} {one.attrs}"
            for one in inner
            if one.type in ("image", "link_open") and OF_A_PAYLOAD.search(str(one.attrs))
        ]
        found += [
            one.content for one in inner if one.type == "html_inline" and not OWN_TAGS.fullmatch(one.content)
        ]
        found += [f"{name} in {token.content}" for name in open_ if name in ("em_open", "s_open")]
        shown = "".join(one.content if one.type == "text" else "\0" for one in inner)
        found += re.findall(r"(?<!\w)@octocat|\w@evil", shown)
        if token.type == "heading_open" and token.markup in ("=", "-"):
            found.append("a heading of the line before")
    return found
