"""Tables that give each distinct thing a number the first time it is met."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import TypeAlias

import msgspec
import numpy as np

from tbprof.trace.arrays import Int32s
from tbprof.trace.columns import Category, Lane
from tbprof.trace.eras import category_of
from tbprof.trace.events import Label, Timed
from tbprof.trace.repair import repair_text

__all__ = ["CategoryTable", "LaneTable", "NameTable", "TextTable"]

_SEPARATOR = b"\0"
_process, _thread, _place = attrgetter("pid"), attrgetter("tid"), attrgetter("pid", "tid")

_Place: TypeAlias = "tuple[int | str, int | str]"


class NameTable(dict[str, int]):
    """Names to their numbers, which count from 0."""

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        return number


class TextTable(dict[bytes, int]):
    """Raw JSON values to the numbers of their texts among the names, however they are laid out.

    The text of a string is what it says, of a list the list without spaces. Nothing, `""` and
    null have no text: -1.
    """

    def __init__(self, names: NameTable) -> None:
        super().__init__({b"": -1, b'""': -1, b"null": -1})
        self._names = names

    def __missing__(self, raw: bytes) -> int:
        # The decoder skips what it hands on raw without a look at its characters.
        text = repair_text(raw)
        value: str = (
            msgspec.json.decode(text)
            if text.startswith(b'"')
            else msgspec.json.format(text, indent=-1).decode()
        )
        number = self[raw] = self._names[value]
        return number

    def numbers(self, raws: Sequence[msgspec.Raw]) -> Int32s:
        """The number of each."""
        # Far faster than `map(bytes, raws)`. No JSON holds the separator.
        texts = _SEPARATOR.join(raws).split(_SEPARATOR)
        if len(texts) != len(raws):
            texts = list(map(bytes, raws))
        return np.fromiter(map(self.__getitem__, texts), np.int32, len(raws))


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

    def numbers(self, events: Sequence[Timed]) -> Int32s:
        """The lane of each event."""
        try:
            processes = np.fromiter(map(_process, events), np.int64, len(events))
            threads = np.fromiter(map(_thread, events), np.int64, len(events))
        except (ValueError, OverflowError):
            return np.fromiter(map(self.__getitem__, map(_place, events)), np.int32, len(events))
        # Mostly neighbours share a lane, so only the first of each run is looked up.
        changes = (processes[1:] != processes[:-1]) | (threads[1:] != threads[:-1])
        firsts = np.concatenate([[0], np.flatnonzero(changes) + 1]) if len(events) else np.empty(0, np.int64)
        places = zip(processes[firsts].tolist(), threads[firsts].tolist(), strict=True)
        lanes = np.fromiter(map(self.__getitem__, places), np.int32, len(firsts))
        return np.repeat(lanes, np.diff(firsts, append=len(events)))

    def name(self, labels: Iterable[Label]) -> None:
        """Take over the names of threads; the last one given to a thread counts, as in Chrome."""
        for label in labels:
            if label.name == "thread_name" and label.args is not None and label.args.name is not None:
                self._names[str(label.pid), str(label.tid)] = str(label.args.name).strip()

    def lanes(self) -> tuple[Lane, ...]:
        """The lanes in the order of their numbers."""
        return tuple(Lane(*key, self._names.get(key, "")) for key in self._numbers)
