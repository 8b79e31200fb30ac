"""What the tab shows of one rule."""

from __future__ import annotations

from textwrap import indent

from tbprof.records import dataclass
from tbprof.texts.findings.guides import GuideLink, guides_of
from tbprof.texts.findings.rule_pages import RuleText


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
    return RulePage(words.code, words.name, words.title, shown, guides_of(words.code))


def _code(text: str) -> str:
    return indent(text, "    ")
