"""What a finding's own numbers say, in a sentence; its rule's page says the rest."""

from __future__ import annotations

from functools import cache

from tbprof.framework_options import FRAMEWORK_OPTIONS
from tbprof.model import Finding, Numbers
from tbprof.rules.base.notes import Note
from tbprof.rules.declared import declared_note
from tbprof.rules.files import rule_files
from tbprof.texts.figures.names import numbers_in_words
from tbprof.texts.figures.scopes import Scope

_OPTIONS = {option.code: option.fix for option in FRAMEWORK_OPTIONS}


def finding_note(finding: Finding, scope: Scope) -> str:
    """The option of a framework that takes the wait away, or the figures; "" if neither is known.

    The numbers of another version may be others: then there is no sentence.
    """
    return " ".join(said for said in (_figures(finding, scope), _needed_here(finding.numbers)) if said)


def option_note(finding: Finding) -> str:
    """Which option of a framework takes the wait away, where it is known; one of another version is not."""
    return _OPTIONS.get(str(finding.numbers.get("hint", "")), "")


def _figures(finding: Finding, scope: Scope) -> str:
    numbers = finding.numbers
    try:
        if "hint" in numbers:
            return _OPTIONS[str(numbers["hint"])]
        note = _note_of(finding.rule)
        return "" if note is None else note(numbers_in_words(numbers), scope)
    except (KeyError, ValueError):
        return ""


@cache
def _note_of(code: str) -> Note | None:
    file = next((file for file in rule_files() if file.code == code), None)
    return None if file is None else declared_note(file)


def _needed_here(numbers: Numbers) -> str:
    """That the program can't go on without the value, where its recorded code shows that."""
    if not numbers.get("used_at_once"):
        return ""
    return "Needed here: what the program does next depends on the value, so reading it later saves less."
