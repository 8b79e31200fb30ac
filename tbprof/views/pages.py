"""What the tab shows of one page of the manual: Markdown cut into blocks.

The manual uses few of Markdown's forms: headings, paragraphs, lists of one level and fenced code.
Bold text and code within a sentence are left to the screen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import indent
from typing import Literal, Protocol, TypeAlias

from tbprof.records import dataclass
from tbprof.texts.rule_pages import GuideLink, RuleText, guides_of, rule_address

BlockKind: TypeAlias = Literal["heading", "text", "item", "code"]

_FENCE = "```"
_HEADING = "## "
_ITEM = "- "


class ManualWords(Protocol):
    """A page as it is written."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def markdown(self) -> str: ...


@dataclass(frozen=True, slots=True)
class ManualBlock:
    kind: BlockKind
    text: str
    """The lines of code, else one line; code within it stands between backticks."""


@dataclass(frozen=True, slots=True)
class ManualEntry:
    """A page in the list of pages."""

    name: str
    title: str
    summary: str


@dataclass(frozen=True, slots=True)
class ManualPage:
    name: str
    title: str
    blocks: tuple[ManualBlock, ...]
    """What stands below the title."""
    pages: tuple[ManualEntry, ...]
    """The whole manual, in reading order."""


def manual_page(page: ManualWords, pages: Sequence[ManualWords]) -> ManualPage:
    """The page as blocks, beside the list of all pages."""
    _, _, body = page.markdown.partition("\n")
    entries = tuple(ManualEntry(each.name, each.title, each.summary) for each in pages)
    return ManualPage(page.name, page.title, tuple(_blocks(body)), entries)


def _blocks(markdown: str) -> Iterator[ManualBlock]:
    """Prose and fenced code alternate."""
    prose: list[str] = []
    lines = iter(markdown.splitlines())
    for line in lines:
        if not line.startswith(_FENCE):
            prose.append(line)
            continue
        yield from _prose(prose)
        prose = []
        yield ManualBlock("code", "\n".join(iter(lambda: next(lines, _FENCE), _FENCE)))
    yield from _prose(prose)


def _prose(lines: Sequence[str]) -> Iterator[ManualBlock]:
    """A block goes on until a blank line, or the next item of its list."""
    open_lines: list[str] = []
    for line in [*lines, ""]:
        if open_lines and (not line or line.startswith(_ITEM)):
            yield _block(" ".join(open_lines))
            open_lines = []
        if line:
            open_lines.append(line.strip())


def _block(text: str) -> ManualBlock:
    if text.startswith(_HEADING):
        return ManualBlock("heading", text.removeprefix(_HEADING))
    if text.startswith(_ITEM):
        return ManualBlock("item", text.removeprefix(_ITEM))
    return ManualBlock("text", text)


@dataclass(frozen=True, slots=True)
class RuleSection:
    title: str
    text: str
    """Plain text; lines indented by four spaces are code."""


@dataclass(frozen=True, slots=True)
class RulePage:
    code: str
    name: str
    title: str
    sections: tuple[RuleSection, ...]
    guides: tuple[GuideLink, ...]
    """Guides that advise what the rule checks."""
    url: str
    """The same page on the site of the documentation."""


def rule_page(words: RuleText) -> RulePage:
    """The page as sections, in the order in which they are read; empty ones are left out."""
    example = f"before:\n{_code(words.before)}\nafter:\n{_code(words.after)}" if words.before else ""
    fix = f"{words.fix}\n{words.caveat}" if words.caveat else words.fix
    sections = (
        ("What", words.what),
        ("Why", words.why),
        ("Example", example),
        ("Fix", fix),
        ("When it stays silent", words.silent),
    )
    shown = tuple(RuleSection(title, text) for title, text in sections if text)
    return RulePage(
        words.code, words.name, words.title, shown, guides_of(words.code), rule_address(words.code)
    )


def _code(text: str) -> str:
    return indent(text, "    ")
