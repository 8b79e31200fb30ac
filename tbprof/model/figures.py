"""Figures of findings and of checks that passed: what each of their records can do.

Each rule has a frozen record for what it found, and one for what it looked at where it found nothing, with
their sentences as methods. They are in the `words.py` of the rule's family.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeAlias, TypeVar

from tbprof.records import dataclass

StoredNumbers: TypeAlias = Mapping[str, int | float | str]
"""Figures as a stored report and JSON have them, by the names of their fields."""

FiguresT = TypeVar("FiguresT", bound="Figures")

_SHARE = "share"


@dataclass(frozen=True, slots=True)
class Scope:
    """What figures are figures of: a step, or the window where it has no steps."""

    each: str
    """Stands after a count: `12 copies a step`."""
    name: str
    """Stands after a preposition: `3 % of a step`."""


class Figures:
    """The base of these records. A field is a number, a text, yes or no, or a record of several such fields.

    A field that is None was not known, and is not stored.
    """

    __slots__ = ()

    KEYS: ClassVar[Mapping[str, str]] = {}
    """The names under which fields are stored, for those that cannot be a name in Python."""

    @property
    def place(self) -> str:
        """The code or the part of the program that they are about; "" where that is the whole window."""
        return ""

    @property
    def order(self) -> str:
        """What to do, in the imperative, where the figures tell more than the rule's page; else ""."""
        return ""

    @property
    def how(self) -> str:
        """How to do it, in sentences, where that depends on the figures; else ""."""
        return ""

    def sentence(self, _: Scope, /) -> str:
        """The figures in whole sentences; "" where the rule's page says all."""
        return ""

    def numbers(self) -> dict[str, int | float | str]:
        """The figures by name, as they are stored and printed; yes and no are 1 and 0."""
        found: dict[str, int | float | str] = {}
        for name in type(self).__annotations__:
            value = getattr(self, name)
            if isinstance(value, Figures):
                found |= value.numbers()
            elif value is not None:
                found[self.KEYS.get(name, name)] = int(value) if isinstance(value, bool) else value
        return found

    def in_words(self: FiguresT, words: Callable[[str], str]) -> FiguresT:
        """The same record with `words` of each text."""
        return self._with_each(lambda _, value: words(value) if isinstance(value, str) else value)

    def with_bounded_shares(self: FiguresT) -> FiguresT:
        """The same record with every share within 0 and 1."""
        return self._with_each(lambda name, value: _within(value) if name.endswith(_SHARE) else value)

    def _with_each(self: FiguresT, changed: Callable[[str, Any], Any]) -> FiguresT:
        record: Callable[..., FiguresT] = type(self)
        values = {name: getattr(self, name) for name in type(self).__annotations__}
        return record(
            **{
                name: value._with_each(changed) if isinstance(value, Figures) else changed(name, value)
                for name, value in values.items()
            }
        )


def _within(value: float | None) -> float | None:
    return value if value is None or 0 <= value <= 1 else min(max(value, 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class Remedy:
    """What is known of a finding's fix beyond the page of its rule; it is stored beside the figures."""

    hint: str = ""
    """The code of an option of a framework that takes the finding away; "" where none is known."""
    used_at_once: bool = False
    """Whether the program decides by the value as soon as it has it, so that it can't be read later."""
    fixed_as: str = ""
    """The code of the rule whose fix is the one to take; "" where that is the finding's own."""
    graphed_in: str = ""
    """The scope or line that its kernels come from, which a CUDA graph replays; "" where none is known."""
    origin: str = ""
    """What most of its kernels come from, in words, where it is about no place of the program."""

    def numbers(self) -> dict[str, int | float | str]:
        """What is known, by name, as it is stored and printed."""
        used_at_once = int(self.used_at_once)
        known = (
            *(("hint", self.hint), ("used_at_once", used_at_once)),
            *(("fixed_as", self.fixed_as), ("graphed_in", self.graphed_in)),
            ("origin", self.origin),
        )
        return {name: value for name, value in known if value}
