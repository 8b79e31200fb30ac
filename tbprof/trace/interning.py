"""Tables that give each distinct thing a number the first time it is met."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from tbprof.trace.columns import Category, Lane
from tbprof.trace.eras import category_of
from tbprof.trace.events import Label

__all__ = ["CategoryTable", "LaneTable", "NameTable"]

_Place: TypeAlias = "tuple[int | str, int | str]"


class NameTable(dict[str, int]):
    """Names to their numbers, which count from 0."""

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        return number


class CategoryTable(dict[str, Category]):
    """The `cat` of events, as met in the file, to what they mean."""

    def __missing__(self, text: str) -> Category:
        category = self[text] = category_of(text)
        return category


class LaneTable(dict["_Place", int]):
    """The `(pid, tid)` of events to the number of their lane; 7 and "7" are the same."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers: dict[tuple[str, str], int] = {}
        self._names: dict[tuple[str, str], str] = {}

    def __missing__(self, place: _Place) -> int:
        key = (str(place[0]), str(place[1]))
        number = self[place] = self._numbers.setdefault(key, len(self._numbers))
        return number

    def name(self, labels: Iterable[Label]) -> None:
        """Take over the names of threads; the last one given to a thread counts, as in Chrome."""
        for label in labels:
            if label.name == "thread_name" and label.args is not None and label.args.name is not None:
                self._names[str(label.pid), str(label.tid)] = str(label.args.name).strip()

    def lanes(self) -> tuple[Lane, ...]:
        """The lanes in the order of their numbers."""
        return tuple(Lane(*key, self._names.get(key, "")) for key in self._numbers)
