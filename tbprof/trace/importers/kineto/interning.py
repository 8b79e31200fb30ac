"""Tables that give each distinct thing a number the first time it is met."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import TypeAlias

import msgspec
import numpy as np

from tbprof.trace.columns.arrays import Int32s
from tbprof.trace.importers.kineto.events.category_args import SEPARATOR
from tbprof.trace.importers.kineto.events.events import Label, Timed
from tbprof.trace.importers.kineto.events.packing import packed
from tbprof.trace.importers.kineto.events.repair import repair_text

_NO_TEXT = (b"", b'""', b"null")
_place = attrgetter("pid", "tid")

_Place: TypeAlias = "tuple[int | str, int | str]"


class NameTable(dict[str, int]):
    """Names to their numbers, which count from 0."""

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        return number


class TextTable(dict[bytes, int]):
    """Raw JSON values of a row, in one piece, to the number of their combination, which counts from 0.

    The text of a string is what it says, of a list the list without spaces, however it is laid
    out. Nothing, `""` and null have no text; a row that has none at all has the number -1.
    """

    def __init__(self, names: NameTable, width: int) -> None:
        """`names` is where the texts are interned, `width` how many values a row has."""
        super().__init__()
        self._names = names
        self._width = width
        self._combinations: list[list[int]] = []

    def __missing__(self, joined: bytes) -> int:
        raws = joined.split(SEPARATOR)
        # A value that holds the separator is damaged, and then nobody knows what is whose.
        texts = [self._name(raw) for raw in raws] if len(raws) == self._width else []
        known = any(text >= 0 for text in texts)
        number = self[joined] = len(self._combinations) if known else -1
        if known:
            self._combinations.append(texts)
        return number

    def numbers(self, rows: Sequence[bytes]) -> Int32s:
        """The number of each row, whose values stand between separators."""
        return packed([self[row] for row in rows], np.int32)

    def names_by_field(self) -> Int32s:
        """For each value of a combination, by its number: the number of the text among the names, or -1."""
        table: Int32s = np.array(self._combinations, np.int32).reshape(-1, self._width)
        return np.transpose(table)

    def _name(self, raw: bytes) -> int:
        if raw in _NO_TEXT:
            return -1
        # The decoder skips what it hands on raw without a look at its characters.
        text = repair_text(raw)
        value: str = (
            msgspec.json.decode(text)
            if text.startswith(b'"')
            else msgspec.json.format(text, indent=-1).decode()
        )
        return self._names[value]


class LaneTable(dict["_Place", int]):
    """The `(pid, tid)` of events to the number of their lane; 7 and "7" are the same."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers: dict[tuple[str, str], int] = {}
        self.thread_names: dict[tuple[str, str], str] = {}
        """By `pid` and `tid`."""
        self.process_names: dict[str, str] = {}
        """By `pid`."""

    def __missing__(self, place: _Place) -> int:
        key = (str(place[0]), str(place[1]))
        number = self[place] = self._numbers.setdefault(key, len(self._numbers))
        return number

    def numbers(self, events: Sequence[Timed]) -> Int32s:
        """The lane of each event."""
        try:
            processes = packed([event.pid for event in events], np.int64)
            threads = packed([event.tid for event in events], np.int64)
        except ValueError:
            return np.fromiter(map(self.__getitem__, map(_place, events)), np.int32, len(events))
        # Mostly neighbors share a lane, so only the first of each run is looked up.
        changes = (processes[1:] != processes[:-1]) | (threads[1:] != threads[:-1])
        if len(events) and not changes.any():
            return np.full(len(events), self[int(processes[0]), int(threads[0])], np.int32)
        edges = np.concatenate([[0], np.flatnonzero(changes) + 1, [len(events)]])
        firsts = edges[:-1] if len(events) else edges[:0]
        places = zip(processes[firsts].tolist(), threads[firsts].tolist(), strict=True)
        lanes = np.fromiter(map(self.__getitem__, places), np.int32, len(firsts))
        return np.repeat(lanes, edges[1 : 1 + len(firsts)] - firsts)

    def name(self, labels: Iterable[Label]) -> None:
        """Take over the names of threads and processes; the last one given to one counts, as in Chrome."""
        for label in labels:
            if label.args is None or label.args.name is None:
                continue
            if label.name == "thread_name":
                self.thread_names[str(label.pid), str(label.tid)] = str(label.args.name).strip()
            elif label.name == "process_name":
                self.process_names[str(label.pid)] = str(label.args.name).strip()

    def places(self) -> tuple[tuple[str, str], ...]:
        """The `pid` and `tid` of each lane, in the order of their numbers."""
        return tuple(self._numbers)
