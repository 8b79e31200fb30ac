"""Chunks of JSON to records: fast for what is valid, ever more patient for what is not.

What the next chunk of a file is decoded as: rows like those of the last one.

Kineto writes its rows kind by kind: operators, Python frames, then calls and kernels. A record that has none
of the other kinds' arguments is made and dropped in three quarters of the time. Where all rows are of one
thread, none of them need hold which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache, lru_cache, reduce
from operator import or_

import msgspec

from tbprof.trace.columns.columns import Category
from tbprof.trace.columns.eras import CATEGORIES, KinetoCategory
from tbprof.trace.columns.tables import NO_TABLES, Tables
from tbprof.trace.importers.kineto.events.batch import ARRAY_END, Batch, batch_of, events_follow
from tbprof.trace.importers.kineto.events.category_args import ARGS, MESSAGE
from tbprof.trace.importers.kineto.events.chunks import Chunk, EventStream
from tbprof.trace.importers.kineto.events.event_args import fields_for
from tbprof.trace.importers.kineto.events.events import (
    Arrow,
    Event,
    Label,
    Other,
    Timed,
    Uniform,
    event_list_decoder,
    uniform_list_decoder,
)
from tbprof.trace.importers.kineto.events.lenient import Loss
from tbprof.trace.importers.kineto.events.salvage import UNDECODABLE, object_end, repair_text, salvage
from tbprof.trace.importers.kineto.events.times import (
    CLOCKS,
    ClockType,
    in_range,
)

_END_CANDIDATES = 8
_FRONT_BYTES = 256 * 1024
"""Four times the longest event seen in real traces."""


@dataclass(slots=True)
class Losses:
    """What decoding a file lost or changed, counted as it goes."""

    events: Counter[Loss] = field(default_factory=Counter)
    repaired: int = 0
    """Events, or whole chunks, whose text had to be changed."""

    @property
    def num_events(self) -> int:
        """Events that gave no record."""
        return sum(self.events.values())


class Decoder:
    """Decodes the chunks of one file; it remembers which clock the file needs."""

    def __init__(self, tables: Tables = NO_TABLES) -> None:
        """`tables` are those that are wanted of the file."""
        self.losses = Losses()
        self._has_memory = "memory" in tables
        self._fields = fields_for(tables)
        self._expected = ExpectedArgs(tables)
        self._uniform = ExpectedUniform()
        self._clock = 0

    def batches(self, stream: EventStream) -> Iterator[Batch]:
        """All records of the file that `stream` cuts, chunk by chunk."""
        while (batch := self.next_batch(stream)) is not None:
            yield batch
            # The next records are to be made where these were: in the core's cache.
            del batch

    def next_batch(self, stream: EventStream) -> Batch | None:
        """The records of the next chunk, None after the last."""
        chunk = stream.next_chunk()
        if chunk is None:
            return None
        batch = self._guessed(chunk) or self.decode(chunk)
        self._expected.learn(batch)
        self._uniform.learn(batch)
        stream.consume(chunk, batch.used_bytes, ended=batch.ended)
        return batch

    def decode(self, chunk: Chunk) -> Batch:
        """The records of `chunk`. Never fails: what can't be read is counted in `losses`."""
        for index in range(self._clock, len(CLOCKS)):
            batch = self._valid(chunk, CLOCKS[index])
            if batch is not None:
                self._clock = index
                return batch
        return self._repaired(chunk) or self._salvaged(chunk)

    def _guessed(self, chunk: Chunk) -> Batch | None:
        """The records if they are as those before them; None where that may not be all of them."""
        if not chunk.bounded:
            return None
        uniform = self._uniform.expected
        events = None if uniform is None else self._uniform_events(chunk, uniform)
        if events is None:
            uniform, events = None, self._expected_events(chunk)
        if events is None:
            return None
        fields, clock, used_bytes = self._expected.needed, CLOCKS[self._clock], len(chunk.array) - 1
        batch = batch_of(events, fields, clock, used_bytes, ended=False, uniform=uniform)
        if batch is not None and self._expected.covers(batch):
            return batch
        if uniform is not None:
            self._uniform.miss(decoded=True)
        return None

    def _uniform_events(self, chunk: Chunk, uniform: Uniform) -> Sequence[Event] | None:
        try:
            return _uniform_decoder(uniform, self._clock, self._expected.needed).decode(chunk.array)
        except UNDECODABLE:
            self._uniform.miss(decoded=False)
            return None

    def _expected_events(self, chunk: Chunk) -> Sequence[Event] | None:
        if self._expected.fields is None:
            return None
        try:
            return self._decoded(chunk.array, CLOCKS[self._clock], self._expected.fields)
        except UNDECODABLE:
            return None

    def _decoded(
        self, json: bytes | memoryview[int], clock: ClockType, fields: frozenset[str]
    ) -> list[Event]:
        return _decoder(CLOCKS.index(clock), fields, self._has_memory).decode(json)

    def _valid(self, chunk: Chunk, clock: ClockType) -> Batch | None:
        if not chunk.bounded:
            return self._up_to_end(chunk.events, clock)
        try:
            events = self._decoded(chunk.array, clock, self._fields)
        except UNDECODABLE:
            return self._up_to_end(chunk.events, clock)
        # The comma after the last event is used as well.
        return batch_of(events, self._fields, clock, len(chunk.array) - 1, ended=False)

    def _up_to_end(self, json: bytes, clock: ClockType) -> Batch | None:
        """The events before the array closes, if it closes in this chunk and they are valid."""
        for _, end in zip(range(_END_CANDIDATES), ARRAY_END.finditer(json), strict=False):
            try:
                events = self._decoded(b"[%b]" % json[: end.start(1)], clock, self._fields)
            except UNDECODABLE:
                continue
            if events_follow(json, end.end(1)):
                return None
            return batch_of(events, self._fields, clock, end.end(1) - 1, ended=True)
        return None

    def _repaired(self, chunk: Chunk) -> Batch | None:
        if not chunk.bounded:
            return None
        json = chunk.events
        text = repair_text(json)
        if text == json:
            return None
        try:
            events = self._decoded(b"[%b]" % text, Decimal, self._fields)
        except UNDECODABLE:
            return None
        self.losses.repaired += 1
        return self._exact(events, len(json) + 1, ended=False)

    def _salvaged(self, chunk: Chunk) -> Batch:
        json = chunk.events
        if not chunk.bounded and not chunk.last:
            # Before what is too long to be an event there may be a whole one.
            json = json[: object_end(json, 0, _FRONT_BYTES) or 0] if chunk.full else b""
        found = salvage(json, last=chunk.last)
        self.losses.events += found.lost
        self.losses.repaired += found.repaired
        comma_bytes = int(chunk.bounded and not found.ended and found.used_bytes == len(json))
        return self._exact(found.events, found.used_bytes + comma_bytes, ended=found.ended)

    def _exact(self, events: list[Event], used_bytes: int, *, ended: bool) -> Batch:
        """A batch of events with Decimal times, those with impossible ones left out."""
        kept: list[Event] = []
        for event in events:
            if isinstance(event, (Arrow, Label, Other)) or in_range(event):
                kept.append(event)
            else:
                self.losses.events["out_of_range" if event.ts.is_finite() else "no_time"] += 1
        batch = batch_of(kept, self._fields, Decimal, used_bytes, ended=ended)
        assert batch is not None
        return batch


@cache
def _decoder(clock: int, fields: frozenset[str], has_memory: bool) -> msgspec.json.Decoder[list[Event]]:
    """The decoder of the clock with this number in `CLOCKS`: a file needs few, and one takes half a
    millisecond.
    """
    return event_list_decoder(CLOCKS[clock], fields, has_memory=has_memory)


@lru_cache(maxsize=16)
def _uniform_decoder(
    uniform: Uniform, clock: int, fields: frozenset[str]
) -> msgspec.json.Decoder[list[Timed]]:
    """The same for rows that share what `uniform` says; of threads there may be any number."""
    return uniform_list_decoder(uniform, CLOCKS[clock], fields)


_HOST = frozenset({Category.CPU_OP, Category.USER_ANNOTATION})
_FRAMES = frozenset({Category.PYTHON})
_KINDS = (_HOST, _FRAMES, frozenset(Category) - _HOST - _FRAMES)
"""What is written side by side: where one is, the others may follow in the next chunk."""
_KIND_BIT = [sum(1 << at for at, kind in enumerate(_KINDS) if category in kind) for category in CATEGORIES]
"""The bit of each number of a `KinetoCategory`."""
_FIRST_CHUNK = 4
"""The size of a first chunk: for a smaller file the decoders, a fifth of a millisecond each, would take what
they save."""
_CHUNKS_PER_MISS = 8
"""A chunk that is decoded twice costs what a good guess wins in three."""
_CHUNKS_PER_WRONG_ROW = 3
"""The cost of rows that do not share a thread, known at the first that does not: half a chunk on average."""
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
