"""What is optional never ends what is essential: each optional fact has a guard of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tbprof.hook.safety.program_errors import let_through
from tbprof.model import MissingFact

LONGEST_REASON = 200

T = TypeVar("T")
U = TypeVar("U")


class MissingFacts:
    """The optional facts of a window that could not be had, by name, with the first reason of each."""

    def __init__(self) -> None:
        self._reasons: dict[str, str] = {}

    @property
    def facts(self) -> tuple[MissingFact, ...]:
        """In the order in which they were missed."""
        return tuple(MissingFact(name, reason) for name, reason in self._reasons.items())

    def clear(self) -> None:
        """Another window begins."""
        self._reasons.clear()

    def ask(self, name: str, question: Callable[[], T], otherwise: U) -> T | U:
        """The answer; where that raises, the fact `name` is missing, and `otherwise` stands for it."""
        try:
            return question()
        except Exception as error:  # noqa: BLE001 - the program's own code and torch's may raise anything
            let_through(error)
            self.note(name, error)
            return otherwise

    def note(self, name: str, error: Exception) -> None:
        """A fact could not be had."""
        self._reasons.setdefault(name, _reason(error))

    def add(self, facts: tuple[MissingFact, ...]) -> None:
        """What somebody else missed."""
        for fact in facts:
            self._reasons.setdefault(fact.name, fact.reason)


def _reason(error: Exception) -> str:
    try:
        lines = str(error).strip().splitlines()
    except Exception:  # noqa: BLE001 - an exception of the program's own, whose text fails as well
        lines = []
    kind = type(error).__name__
    return f"{kind}: {lines[0]}"[:LONGEST_REASON].rstrip(".") if lines else kind
