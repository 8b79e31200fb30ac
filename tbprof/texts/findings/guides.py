"""What tuning guides advise, and which rules check it, or why none does: `guides.json` beside this file."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from tbprof.records import dataclass


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
