"""The pages of the manual: their list, and the Markdown of each."""

from __future__ import annotations

import textwrap
from functools import cache
from pathlib import Path

from tbprof.errors import UsageError
from tbprof.records import dataclass
from tbprof.texts.rule_pages import Advice, Guide, RuleText, all_guides, all_rules

_NAMES = (
    "hook",
    "frameworks",
    "commands",
    "tab",
    "report",
    "preflight",
    "prove",
    "fix",
    "bisect",
    "ab",
    "rules",
    "guides",
    "classic",
    "import",
    "team",
    "remote",
    "questions",
)
"""In reading order; each is a file beside this one."""

RULES_PAGE = "rules"
"""Its file is an introduction: the rules themselves are printed from their docstrings."""

GUIDES_PAGE = "guides"
"""Its file is an introduction, too: the advice is printed from the list that the checks link to."""

_WIDTH = 100


@dataclass(frozen=True, slots=True)
class ManualText:
    name: str
    title: str
    summary: str
    """One sentence: what the page answers."""
    markdown: str
    """The whole page, title and summary included; ends with a line break."""


def manual_text(name: str) -> ManualText:
    """One page of the manual.

    Raises:
        UsageError: There is no such page.
    """
    if name not in _NAMES:
        raise UsageError(f"there is no manual page {name!r}: the pages are {', '.join(_NAMES)}")
    return _read(name)


def all_pages() -> tuple[ManualText, ...]:
    """All pages, in reading order."""
    return tuple(_read(name) for name in _NAMES)


@cache
def _read(name: str) -> ManualText:
    markdown = (Path(__file__).parent / f"{name}.md").read_text(encoding="utf-8")
    if name == RULES_PAGE:
        markdown += "".join(f"\n{rule_markdown(rule)}" for rule in all_rules())
    if name == GUIDES_PAGE:
        markdown += "".join(f"\n{_guide(guide)}" for guide in all_guides())
    title, summary, *_ = markdown.split("\n\n")
    return ManualText(name, title.removeprefix("# "), " ".join(summary.split()), markdown)


def rule_markdown(rule: RuleText) -> str:
    """The page of one rule, under a heading of the second level."""
    parts = [f"## {rule.code} {rule.name}", f"**{rule.title}.**", rule.what, rule.why]
    if rule.before:
        parts += ["Before:", _code(rule.before), "After:", _code(rule.after)]
    parts += [f"**Fix.** {rule.fix}", rule.caveat and f"Note: {rule.caveat}"]
    parts.append(f"**When it stays silent.** {rule.silent}")
    return "\n\n".join(_wrapped(part) for part in parts if part) + "\n"


def _guide(guide: Guide) -> str:
    lines = "\n".join(_advice(advice) for advice in guide.advice)
    return f"## {guide.name}\n\n{guide.url}\n\n{lines}\n"


def _advice(advice: Advice) -> str:
    answer = f"no check: {advice.instead}" if advice.instead else ", ".join(advice.rules)
    line = f"- {advice.text}: {answer}."
    return textwrap.fill(line, _WIDTH, subsequent_indent="  ", break_long_words=False)


def _code(text: str) -> str:
    return f"```python\n{text}\n```"


def _wrapped(part: str) -> str:
    is_code = part.startswith("```")
    return part if is_code else textwrap.fill(part, _WIDTH, break_long_words=False, break_on_hyphens=False)
