"""Chunks of JSON to records: fast for what is valid, ever more patient for what is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from typing import Any, TypeVar

import msgspec

from tbprof.trace.columns.arrays import Int64s
from tbprof.trace.columns.tables import NO_TABLES, Tables
from tbprof.trace.importers.kineto.events.boundaries import ARRAY_END, events_follow
from tbprof.trace.importers.kineto.events.chunks import Chunk, EventStream
from tbprof.trace.importers.kineto.events.events import (
    AnySlice,
    Arrow,
    Event,
    Instant,
    Label,
    Other,
    Slice,
    event_list_decoder,
)
from tbprof.trace.importers.kineto.events.lenient import Loss
from tbprof.trace.importers.kineto.events.repair import object_end, repair_text
from tbprof.trace.importers.kineto.events.salvage import UNDECODABLE, salvage
from tbprof.trace.importers.kineto.events.times import (
    CLOCKS,
    ClockType,
    Times,
    exact_starts,
    exact_times,
    in_range,
)

__all__ = ["Batch", "Decoder", "Losses"]

_Kind = TypeVar("_Kind", bound=Event)

_END_CANDIDATES = 8
_FRONT_BYTES = 256 * 1024
"""Four times the longest event seen in real traces."""
_MEMORY = "[memory]"


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


@dataclass(frozen=True, slots=True)
class Batch:
    """The records of one chunk, by what is done with them."""

    slices: list[AnySlice]
    times: Times
    """Of the slices."""
    labels: list[Label]
    memory: list[Instant[Any]]
    """The `[memory]` instants, if they are wanted."""
    memory_ns: Int64s
    arrows: list[Arrow]
    num_events: int
    """Of every phase."""
    used_bytes: int
    """How much of the chunk is done with."""
    ended: bool
    """Whether the event array closes there."""


class Decoder:
    """Decodes the chunks of one file; it remembers which clock the file needs."""

    def __init__(self, tables: Tables = NO_TABLES) -> None:
        """`tables` are those that are wanted of the file."""
        self.losses = Losses()
        self._tables = tables
        self._clock = 0

    def batches(self, stream: EventStream) -> Iterator[Batch]:
        """All records of the file that `stream` cuts, chunk by chunk."""
        while (batch := self.next_batch(stream)) is not None:
            yield batch
            # The next records are to be made where these were: in the core's cache.
            del batch

    def next_batch(self, stream: EventStream) -> Batch | None:
        """The records of the next chunk, None behind the last."""
        chunk = stream.next_chunk()
        if chunk is None:
            return None
        batch = self.decode(chunk)
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

    def _decoded(self, json: bytes | memoryview[int], clock: ClockType) -> list[Event]:
        return _decoder(CLOCKS.index(clock), self._tables).decode(json)

    def _valid(self, chunk: Chunk, clock: ClockType) -> Batch | None:
        if not chunk.bounded:
            return self._up_to_end(chunk.events, clock)
        try:
            events = self._decoded(chunk.array, clock)
        except UNDECODABLE:
            return self._up_to_end(chunk.events, clock)
        # The comma behind the last event is used as well.
        return _batch(events, clock, len(chunk.array) - 1, ended=False)

    def _up_to_end(self, json: bytes, clock: ClockType) -> Batch | None:
        """The events before the array closes, if it closes in this chunk and they are valid."""
        for _, end in zip(range(_END_CANDIDATES), ARRAY_END.finditer(json), strict=False):
            try:
                events = self._decoded(b"[%b]" % json[: end.start(1)], clock)
            except UNDECODABLE:
                continue
            if events_follow(json, end.end(1)):
                return None
            return _batch(events, clock, end.end(1) - 1, ended=True)
        return None

    def _repaired(self, chunk: Chunk) -> Batch | None:
        if not chunk.bounded:
            return None
        json = chunk.events
        text = repair_text(json)
        if text == json:
            return None
        try:
            events = self._decoded(b"[%b]" % text, Decimal)
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
        behind = int(chunk.bounded and not found.ended and found.used_bytes == len(json))
        return self._exact(found.events, found.used_bytes + behind, ended=found.ended)

    def _exact(self, events: list[Event], used_bytes: int, *, ended: bool) -> Batch:
        """A batch of events with Decimal times, those with impossible ones left out."""
        kept = [event for event in events if isinstance(event, (Arrow, Label, Other)) or in_range(event)]
        self.losses.events["no_time"] += len(events) - len(kept)
        batch = _batch(kept, Decimal, used_bytes, ended=ended)
        assert batch is not None
        return batch


@cache
def _decoder(clock: int, tables: Tables) -> msgspec.json.Decoder[list[Event]]:
    """That of the clock with this number in `CLOCKS`: most files need one, and one takes a millisecond."""
    return event_list_decoder(CLOCKS[clock], tables)


def _batch(events: list[Event], clock: ClockType, used_bytes: int, *, ended: bool) -> Batch | None:
    """A batch, or None if the clock can't hold its times."""
    met = set(map(type, events))

    def all_of(kind: type[_Kind]) -> list[_Kind]:
        return [event for event in events if event.__class__ is kind] if kind in met else []

    slices: list[AnySlice] = all_of(Slice)
    memory = [event for event in all_of(Instant) if event.name == _MEMORY]
    times, memory_ns = exact_times(slices, clock), exact_starts(memory, clock)
    if times is None or memory_ns is None:
        return None
    return Batch(
        slices=slices,
        times=times,
        labels=all_of(Label),
        memory=memory,
        memory_ns=memory_ns,
        arrows=all_of(Arrow),
        num_events=len(events),
        used_bytes=used_bytes,
        ended=ended,
    )
