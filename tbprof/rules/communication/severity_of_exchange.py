"""How bad communication is that a rank's own trace shows: at most medium."""

from __future__ import annotations

from tbprof.analysis.facts import Facts
from tbprof.model import Saving, Severity
from tbprof.rules.base.severity import severity_of_transfer


def severity_of_exchange(facts: Facts, saving: Saving) -> Severity:
    """What of it is waiting for others is not this rank's to change, and a ceiling is all that is known."""
    found = severity_of_transfer(facts, saving)
    return "medium" if found in ("critical", "high") else found
