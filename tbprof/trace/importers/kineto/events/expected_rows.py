"""What the next chunk of a file is decoded as: rows like those of the last one.

Kineto writes its rows kind by kind: operators, Python frames, then calls and kernels. A record that has none
of the other kinds' arguments is made and dropped in three quarters of the time. Where all rows are of one
thread, none of them need hold which.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_

from tbprof.trace.columns.columns import Category
from tbprof.trace.columns.eras import CATEGORIES, KinetoCategory
from tbprof.trace.columns.tables import Tables
from tbprof.trace.importers.kineto.events.batch import Batch
from tbprof.trace.importers.kineto.events.category_args import ARGS, MESSAGE
from tbprof.trace.importers.kineto.events.events import Timed, Uniform

_HOST = frozenset({Category.CPU_OP, Category.USER_ANNOTATION})
_FRAMES = frozenset({Category.PYTHON})
_KINDS = (_HOST, _FRAMES, frozenset(Category) - _HOST - _FRAMES)
"""What is written side by side: where one is, the others may follow in the next chunk."""
_KIND_BIT = [sum(1 << at for at, kind in enumerate(_KINDS) if category in kind) for category in CATEGORIES]
"""By the number of a `KinetoCategory`."""
_FIRST_CHUNK = 4
"""Of a smaller file the decoders, a fifth of a millisecond each, would take what they save."""
_CHUNKS_PER_MISS = 8
"""A chunk that is decoded twice costs what a good guess wins in three."""
_CHUNKS_PER_WRONG_ROW = 3
"""That rows do not share a thread is known at the first that does not: half a chunk at the mean."""
_LARGEST_LITERAL = 2**63


class ExpectedArgs:
    """Learns from each chunk what the next one needs."""

    def __init__(self, tables: Tables) -> None:
        """`tables` are those that are wanted of the file."""
        self.needed: frozenset[str] = frozenset()
        """The fields of `SliceArgs` that rows as in the last chunk may have."""
        self.fields: frozenset[str] | None = None
        """The same; None where nothing is known to be spared, or guesses have been wrong too often to pay."""
        self._tables = tables
        self._known: dict[tuple[int, bool], frozenset[str]] = {}
        self._num_chunks = 0
        self._num_misses = 0
        self._has_collectives = False

    def covers(self, batch: Batch) -> bool:
        """Whether records with the needed fields have all that the rows of their chunk may have."""
        is_covered = self._needed(batch) <= self.needed
        self._num_misses += not is_covered
        return is_covered

    def learn(self, batch: Batch) -> None:
        """Expect of the next chunk what this one was."""
        self._num_chunks += 1
        is_worth_it = _FIRST_CHUNK + _CHUNKS_PER_MISS * self._num_misses <= self._num_chunks
        self.needed = self._needed(batch)
        self.fields = self.needed if is_worth_it and batch.slices else None

    def _needed(self, batch: Batch) -> frozenset[str]:
        self._has_collectives = self._has_collectives or len(batch.collectives) > 0
        key = reduce(or_, (_KIND_BIT[kind] for kind in batch.kinds), 0), self._has_collectives
        if key not in self._known:
            self._known[key] = _fields(*key, self._tables)
        return self._known[key]


class ExpectedUniform:
    """Learns from each chunk whether the rows of the next one share their thread."""

    def __init__(self) -> None:
        self.expected: Uniform | None = None
        self._num_chunks = 0
        self._next_guess = 0
        """The chunk from which on another guess pays."""

    def miss(self, *, decoded: bool) -> None:
        """Say that the guess was wrong: after the chunk was `decoded`, or at the first row that differs."""
        self._next_guess += _CHUNKS_PER_MISS if decoded else _CHUNKS_PER_WRONG_ROW

    def learn(self, batch: Batch) -> None:
        """Expect of the next chunk what this one was, as far as a look at its ends tells."""
        self._num_chunks += 1
        self.expected = _shared(batch) if self._next_guess <= self._num_chunks else None


def _shared(batch: Batch) -> Uniform | None:
    """What the first and the last event share, if all are of one phase."""
    rows: Sequence[Timed] = batch.slices or batch.memory
    if batch.uniform is not None or not rows or len(rows) < batch.num_events:
        return batch.uniform
    place = rows[0].pid, rows[0].tid
    is_shared = place == (rows[-1].pid, rows[-1].tid) and all(map(_is_literal, place))
    # Frames are written by themselves; among operators there are other ranges now and then.
    category = KinetoCategory.PYTHON if batch.kinds == [KinetoCategory.PYTHON.number] else None
    return Uniform(bool(batch.slices), *place, category) if is_shared else None


def _is_literal(place: int | str) -> bool:
    """Whether a decoder can be made for this one: it takes integers of 64 bits."""
    return isinstance(place, str) or abs(place) < _LARGEST_LITERAL


def _fields(kinds: int, has_collectives: bool, tables: Tables) -> frozenset[str]:
    """What rows of these kinds, a bit each, have in these tables."""
    categories = frozenset[Category]().union(*(kind for at, kind in enumerate(_KINDS) if kinds >> at & 1))
    names = {"correlation"} if categories - _FRAMES else set[str]()
    for group in ARGS:
        # Of few recordings an operator or a kernel is a collective, which has ten arguments of its own.
        is_had = has_collectives or group is not MESSAGE
        if is_had and group.table in (None, *tables) and not categories.isdisjoint(group.categories):
            names |= group.names
    return frozenset(names)
