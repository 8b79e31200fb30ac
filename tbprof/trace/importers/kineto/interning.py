"""Tables that give each distinct thing a number the first time it is met."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from tbprof.trace.columns.arrays import Int32s, SparseColumn, SparseFloats
from tbprof.trace.importers.kineto.events.category_args import SEPARATOR
from tbprof.trace.importers.kineto.events.events import Label, Timed
from tbprof.trace.importers.kineto.events.salvage import repair_text
from tbprof.trace.importers.kineto.events.times import packed

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
        """Threads by `pid` and `tid`."""
        self.process_names: dict[str, str] = {}
        """Processes by `pid`."""

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


Number = TypeVar("Number", np.int64, np.int32, np.int8, np.float32)

_FIRST_LENGTH = 1024


class GrowingArray(Generic[Number]):
    """An array that grows at its end, into spare memory that is not touched before it is needed."""

    def __init__(self, dtype: type[Number]) -> None:
        self._array: npt.NDArray[Number] = np.empty(_FIRST_LENGTH, dtype)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def extend(self, values: npt.NDArray[np.generic]) -> None:
        """Append `values`, in the array's own type."""
        end = self._length + len(values)
        if end > len(self._array):
            # `resize` would fill what is new with zeros.
            grown = np.empty(2 * end, self._array.dtype)
            grown[: self._length] = self._array[: self._length]
            self._array = grown
        self._array[self._length : end] = values
        self._length = end

    def take(self) -> npt.NDArray[Number]:
        """The array, to be asked for once: it can't grow any more."""
        self._array.resize(self._length, refcheck=False)
        return self._array


class GrowingColumn(Generic[Number]):
    """A sparse column while it grows; rows come in ascending order.

    What is too large for its type is not there: CUPTI's -1 of a stream, which some versions
    of Kineto print as 2^32 - 1, and ids that a float does not hold.
    """

    def __init__(self, dtype: type[Number], missing: int = -1) -> None:
        """`missing` is the value of a row that has none; all others are greater."""
        self._missing = missing
        self._limit = 2.0**53 if dtype is np.int64 else 2.0**31
        self._rows = GrowingArray(np.int32)
        self._values: GrowingArray[Number] = GrowingArray(dtype)

    def add(self, rows: Int32s, values: npt.NDArray[np.float64] | Int32s) -> None:
        """Append those of the rows whose value is there and fits."""
        known = (values > self._missing) & (values < self._limit)
        if known.all():
            self._rows.extend(rows)
            self._values.extend(values)
        elif known.any():
            self._rows.extend(rows[known])
            self._values.extend(values[known])

    def take(self) -> SparseColumn:
        """All rows, to be asked for once."""
        values: npt.NDArray[Any] = self._values.take()
        return SparseColumn(self._rows.take(), values, self._missing)

    def take_floats(self) -> SparseFloats:
        """The same for a column of fractions."""
        values: npt.NDArray[Any] = self._values.take()
        return SparseFloats(self._rows.take(), values)
