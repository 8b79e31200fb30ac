"""What a finding's own numbers say, in a sentence; its rule's page says the rest."""

from __future__ import annotations

from tbprof.model import Finding, Numbers
from tbprof.rules.base.hints import HINTS
from tbprof.rules.registry import RULES
from tbprof.texts.figures.scopes import Scope

__all__ = ["finding_note"]

_NOTES = {rule.code: rule.note for rule in RULES if rule.note is not None}
_HINTS = {hint.code: hint.fix for hint in HINTS}


def finding_note(finding: Finding, scope: Scope) -> str:
    """The option of a framework that takes the wait away, or the figures; "" if neither is known.

    The numbers of another version may be others: then there is no sentence.
    """
    return " ".join(said for said in (_figures(finding, scope), _needed_here(finding.numbers)) if said)


def _figures(finding: Finding, scope: Scope) -> str:
    numbers = finding.numbers
    try:
        if "hint" in numbers:
            return _HINTS[str(numbers["hint"])]
        return _NOTES[finding.rule](numbers, scope)
    except (KeyError, ValueError):
        return ""


def _needed_here(numbers: Numbers) -> str:
    """That the program can't go on without the value, where its recorded code shows that."""
    if not numbers.get("used_at_once"):
        return ""
    return "Needed here: what the program does next depends on the value, so reading it later saves less."
