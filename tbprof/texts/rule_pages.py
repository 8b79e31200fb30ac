"""A rule's docstring as a page: its title, and what stands under each of its headings.

It is read from the file, so that nobody who shows a page, such as preflight in a training, imports
what the rule searches with.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from textwrap import dedent

from tbprof.errors import UsageError
from tbprof.framework_options import OPTION_OF
from tbprof.model import Finding
from tbprof.records import dataclass
from tbprof.rules.files import RuleFile, rule_files

SITE = "https://tbprof.github.io/tbprof/"
"""Where the documentation is published; each rule has a page there."""

_HEADINGS = ("What", "Why", "Example", "Action", "Fix", "Silent")
_CAVEAT = re.compile(r"^caveat: ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RuleText:
    code: str
    name: str
    title: str
    """What is the case, as a sentence without its full stop."""
    what: str
    why: str
    before: str
    """Code."""
    after: str
    """Code."""
    action: str
    """What to do, in the imperative and without its full stop; the fix says how."""
    fix: str
    caveat: str
    """What to know before the fix is taken; "" if nothing."""
    silent: str
    """When the rule says nothing."""


def rule_text(code: str) -> RuleText:
    """The page of a rule.

    Raises:
        UsageError: There is no such rule, or its page lacks a heading.
    """
    file = _file_of(code)
    if file is None:
        known = ", ".join(file.code for file in rule_files())
        raise UsageError(f"there is no rule {code!r}: the rules are {known}")
    return _read(file)


def rule_address(code: str) -> str:
    """The page of a rule on the site."""
    return f"{SITE}rules/{code}/"


def rule_words(code: str) -> RuleText:
    """The page of a rule for a screen; one of another version gets a page that says so."""
    file = _file_of(code)
    return _unknown(code) if file is None else _read(file)


def fix_words(finding: Finding) -> RuleText:
    """The page whose action and fix are to be taken: its own, or the one that it names.

    Where an option of a framework is the fix, or the figures name what to change, that is what they say.
    """
    words = rule_words(finding.remedy.fixed_as or finding.rule)
    option = OPTION_OF.get(finding.remedy.hint)
    if option is not None:
        return replace(words, action=option.order, fix=option.fix)
    figures = finding.figures
    return replace(words, action=figures.order or words.action, fix=figures.how or words.fix)


def all_rules() -> tuple[RuleText, ...]:
    """The pages of all rules, by family and code."""
    return tuple(_read(file) for file in rule_files())


def _file_of(code: str) -> RuleFile | None:
    return next((file for file in rule_files() if file.code == code.upper()), None)


@cache
def _read(file: RuleFile) -> RuleText:
    title, _, body = _docs(file.path)[file.function].partition("\n")
    sections = _sections(body, file.path)
    before, _, after = sections["Example"].partition("\nafter:\n")
    fix, _, caveat = _CAVEAT.sub("\0", sections["Fix"]).partition("\0")
    return RuleText(
        code=file.code,
        name=file.name,
        title=title.rstrip("."),
        what=_flowing(sections["What"]),
        why=_flowing(sections["Why"]),
        before=dedent(before.removeprefix("before:\n")).rstrip(),
        after=dedent(after).rstrip(),
        action=_flowing(sections["Action"]).rstrip("."),
        fix=_flowing(fix),
        caveat=_begun(_flowing(caveat)),
        silent=_flowing(sections["Silent"]),
    )


@cache
def _docs(path: Path) -> Mapping[str, str]:
    """The docstrings of a file's functions, and of the file itself by an empty name."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    return {
        "": ast.get_docstring(tree) or "",
        **{node.name: ast.get_docstring(node) or "" for node in functions},
    }


def _begun(text: str) -> str:
    """The same as a sentence of its own."""
    return f"{text[:1].upper()}{text[1:]}"


def _sections(body: str, path: Path) -> dict[str, str]:
    _, *parts = re.split(rf"^({'|'.join(_HEADINGS)})$", body, flags=re.MULTILINE)
    pairs = zip(parts[::2], parts[1::2], strict=True)
    sections = {heading: dedent(text).strip("\n") for heading, text in pairs}
    missing = [heading for heading in _HEADINGS if not sections.get(heading)]
    if missing:
        raise UsageError(
            f"{path}: the docstring of a rule needs the heading {missing[0]} and a text under it"
        )
    return sections


def _unknown(code: str) -> RuleText:
    return RuleText(
        code=code,
        name="unknown",
        title=f"Rule {code} of another version of tbprof",
        what="The report was written by another version, which has a rule that this one lacks.",
        why="",
        before="",
        after="",
        action="Open the report with the version that wrote it",
        fix="Open the report with the version that wrote it.",
        caveat="",
        silent="",
    )


def _flowing(text: str) -> str:
    """Lines of a paragraph joined; the screen breaks them again."""
    return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class Advice:
    text: str
    rules: tuple[str, ...]
    """The codes that check it, or that come closest."""
    word: str
    """Stands on the page of one of the rules; "" where no rule checks it."""
    instead: str
    """Why no rule checks it, and what shows it instead; "" where one does."""


@dataclass(frozen=True, slots=True)
class Guide:
    name: str
    short: str
    """The same where there is little room."""
    url: str
    advice: tuple[Advice, ...]


@dataclass(frozen=True, slots=True)
class GuideLink:
    """Where a guide gives the advice that a rule checks."""

    guide: str
    short: str
    advice: str
    url: str


@cache
def all_guides() -> tuple[Guide, ...]:
    """All of them, each with its advice in its own order."""
    text = (Path(__file__).parent / "guides.json").read_text(encoding="utf-8")
    return tuple(
        Guide(guide["name"], guide["short"], guide["url"], tuple(map(_advice, guide["advice"])))
        for guide in json.loads(text)
    )


def guides_of(rule: str) -> tuple[GuideLink, ...]:
    """The advice that a rule checks, the first of each guide."""
    found: dict[str, GuideLink] = {}
    for guide in all_guides():
        for advice in guide.advice:
            if rule in advice.rules and not advice.instead:
                found.setdefault(guide.url, GuideLink(guide.name, guide.short, advice.text, guide.url))
    return tuple(found.values())


def _advice(row: dict[str, str]) -> Advice:
    rules = tuple(row.get("checks", ()))
    return Advice(row["advice"], rules, row.get("word", ""), row.get("instead", ""))
