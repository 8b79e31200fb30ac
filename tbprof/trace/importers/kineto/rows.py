"""What the events of a file, or of a stretch of it, gave: columns, before the file's metadata is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int32s, SparseColumn, SparseFloats
from tbprof.trace.columns.columns import Lane, Slices
from tbprof.trace.columns.eras import KinetoCategory
from tbprof.trace.columns.tables import MemoryEvents
from tbprof.trace.importers.kineto.events.category_args import TEXTS
from tbprof.trace.importers.kineto.interning import NameTable

Place = tuple[str, str]
"""The `pid` and `tid` of an event."""

_Table = TypeVar("_Table", Slices, MemoryEvents)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """All columns of consecutive events, in the order of the file; named as in `Trace`."""

    slices: Slices
    memory: MemoryEvents | None
    """None where it is not wanted."""
    args: Mapping[str, SparseColumn]
    fractions: Mapping[str, SparseFloats]
    names: tuple[str, ...]
    places: tuple[Place, ...]
    """Where events were, by the number of the lane."""
    thread_names: Mapping[Place, str]
    """The names of all threads that these events name, whether they have events here or not."""
    process_names: Mapping[str, str]
    """The names of all processes, by `pid`, likewise."""
    categories: frozenset[KinetoCategory]
    """The categories of which an event or an arrow was met."""
    has_decimals: bool
    """Whether a start is finer than 1 us."""
    negative_durations: int
    num_events: int
    """The number of events of every phase."""
    num_labels: int
    """How many of them name processes and threads."""

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The threads and streams that have events."""
        return tuple(Lane(*place, self.thread_names.get(place, "")) for place in self.places)


def join_rows(parts: Sequence[Rows]) -> Rows:
    """The rows of stretches that follow each other, as if they had been read in one go."""
    if len(parts) == 1:
        return parts[0]
    names, places = NameTable(), dict[Place, int]()
    name_numbers = [_numbered(part.names, names.__getitem__) for part in parts]
    lanes = [_numbered(part.places, lambda place: places.setdefault(place, len(places))) for part in parts]
    rows = _RowNumbers([len(part.slices) for part in parts])
    return Rows(
        slices=_joined_table(Slices, [part.slices for part in parts], {"name": name_numbers, "lane": lanes}),
        memory=_joined_memory([part.memory for part in parts], lanes),
        args=_joined_args([part.args for part in parts], rows, name_numbers),
        fractions=_joined_fractions([part.fractions for part in parts], rows),
        names=tuple(names),
        places=tuple(places),
        # The last name given to a thread counts.
        thread_names={place: name for part in parts for place, name in part.thread_names.items()},
        process_names={pid: name for part in parts for pid, name in part.process_names.items()},
        categories=frozenset().union(*(part.categories for part in parts)),
        has_decimals=any(part.has_decimals for part in parts),
        negative_durations=sum(part.negative_durations for part in parts),
        num_events=sum(part.num_events for part in parts),
        num_labels=sum(part.num_labels for part in parts),
    )


_Key = TypeVar("_Key")


def _numbered(keys: Iterable[_Key], number_of: Callable[[_Key], int]) -> Int32s:
    """The number in the whole of each key of a part, by its number in the part."""
    return np.array([number_of(key) for key in keys], np.int32)


def _joined_table(
    table: type[_Table], parts: Sequence[_Table], numbers: Mapping[str, Sequence[Int32s]]
) -> _Table:
    columns = {
        column.name: _joined([getattr(part, column.name) for part in parts], numbers.get(column.name))
        for column in fields(table)
    }
    return table(**columns)


def _joined_memory(parts: Sequence[MemoryEvents | None], lanes: Sequence[Int32s]) -> MemoryEvents | None:
    known = [part for part in parts if part is not None]
    return _joined_table(MemoryEvents, known, {"lane": lanes}) if known else None


def _joined_args(
    parts: Sequence[Mapping[str, SparseColumn]], rows: _RowNumbers, name_numbers: Sequence[Int32s]
) -> dict[str, SparseColumn]:
    found = {}
    for name, first in parts[0].items():
        columns = [part[name] for part in parts]
        numbers = name_numbers if name in TEXTS else None
        values = _joined([column.values for column in columns], numbers)
        found[name] = SparseColumn(rows.joined([column.rows for column in columns]), values, first.missing)
    return found


def _joined_fractions(
    parts: Sequence[Mapping[str, SparseFloats]], rows: _RowNumbers
) -> dict[str, SparseFloats]:
    found = {}
    for name in parts[0]:
        columns = [part[name] for part in parts]
        values = np.concatenate([column.values for column in columns])
        found[name] = SparseFloats(rows.joined([column.rows for column in columns]), values)
    return found


def _joined(columns: Sequence[npt.NDArray[Any]], numbers: Sequence[Int32s] | None) -> npt.NDArray[Any]:
    """One column of all parts; its values are renumbered where `numbers` says how."""
    if numbers is None:
        return np.concatenate(columns)
    return np.concatenate([known[column] for known, column in zip(numbers, columns, strict=True)])


class _RowNumbers:
    """Rows of the parts to rows of the whole; columns that shared the array of theirs go on sharing it."""

    def __init__(self, lengths: Sequence[int]) -> None:
        self._firsts = np.cumsum([0, *lengths[:-1]], dtype=np.int32)
        self._known: dict[tuple[int, ...], Int32s] = {}

    def joined(self, parts: Sequence[Int32s]) -> Int32s:
        key = tuple(map(id, parts))
        if key not in self._known:
            shifted = [rows + first for rows, first in zip(parts, self._firsts, strict=True)]
            self._known[key] = np.concatenate(shifted)
        return self._known[key]
