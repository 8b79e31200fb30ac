"""The records of one chunk, by what is done with them.

Where one event ends and the next begins, in bytes that are not parsed yet.

Kineto separates events by `},` and `{` with white space that differs by era and by the
tool that wrote the file again, and is the same all through one file. So the white space
is learned once, and the last boundary of a buffer is one search from its end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeVar, cast

import numpy as np

from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int8s, Int64s
from tbprof.trace.columns.eras import CATEGORIES
from tbprof.trace.importers.kineto.events.category_args import COLLECTIVE
from tbprof.trace.importers.kineto.events.event_args import ABSENT, NO_ARGS, SliceArgs
from tbprof.trace.importers.kineto.events.events import (
    EVENT_KEYS,
    MEMORY,
    AnySlice,
    Arrow,
    Event,
    Instant,
    Label,
    Slice,
    Uniform,
)
from tbprof.trace.importers.kineto.events.times import ClockType, Times, exact_starts, exact_times

_Kind = TypeVar("_Kind", bound=Event)


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """What one chunk holds."""

    slices: Sequence[AnySlice]
    kineto_category: Int8s
    """The number of the `KinetoCategory` of each slice."""
    kinds: Sequence[int]
    """The kinds that any slice has: in most chunks one or two."""
    args: Sequence[SliceArgs]
    """The arguments of each slice; what they were decoded without may not be asked for."""
    collectives: Int64s
    """The slices that name a collective, by their places."""
    times: Times
    """The times of the slices."""
    labels: Sequence[Label]
    memory: Sequence[Instant[Any]]
    """The `[memory]` instants, if they are wanted."""
    memory_ns: Int64s
    arrows: Sequence[Arrow]
    num_events: int
    """The number of events of every phase."""
    used_bytes: int
    """How much of the chunk is done with."""
    ended: bool
    """Whether the event array closes there."""
    uniform: Uniform | None
    """What all events share, where they were decoded as such."""


@dataclass(frozen=True, slots=True, eq=False)
class _Phases:
    """The events of a chunk, by what they are."""

    slices: Sequence[AnySlice]
    memory: Sequence[Instant[Any]] = ()
    labels: Sequence[Label] = ()
    arrows: Sequence[Arrow] = ()


def batch_of(
    events: Sequence[Event],
    fields: frozenset[str],
    clock: ClockType,
    used_bytes: int,
    *,
    ended: bool,
    uniform: Uniform | None = None,
) -> Batch | None:
    """A batch, or None if the clock can't hold its times.

    Args:
        events: All of a chunk, in their order.
        fields: Of `SliceArgs`, those that the arguments were decoded with.
        clock: What the times were decoded as.
        used_bytes: How much of the chunk they took.
        ended: Whether the event array closes after them.
        uniform: What they were decoded as sharing.
    """
    phases = _phases_of(events) if uniform is None else _uniform_phases(events, uniform)
    slices = phases.slices
    times, memory_ns = exact_times(slices, clock), exact_starts(phases.memory, clock)
    if times is None or memory_ns is None:
        return None
    kineto_category, kinds = _categories(slices, uniform)
    may_be_collective = "collective_name" in fields and bool(COLLECTIVE.is_of[CATEGORIES[kinds]].any())
    args = (
        [NO_ARGS if (given := event.args) is None else given for event in slices]
        if fields
        else [NO_ARGS] * len(slices)
    )
    return Batch(
        slices=slices,
        kineto_category=kineto_category,
        args=args,
        kinds=kinds,
        collectives=_collectives(kineto_category, args if may_be_collective else []),
        times=times,
        labels=phases.labels,
        memory=phases.memory,
        memory_ns=memory_ns,
        arrows=phases.arrows,
        num_events=len(events),
        used_bytes=used_bytes,
        ended=ended,
        uniform=uniform,
    )


def _phases_of(events: Sequence[Event]) -> _Phases:
    met = set(map(type, events))

    def all_of(kind: type[_Kind]) -> Sequence[_Kind]:
        if kind not in met:
            return []
        if len(met) == 1:
            return cast("Sequence[_Kind]", events)
        return [event for event in events if event.__class__ is kind]

    memory = [event for event in all_of(Instant) if event.name == MEMORY]
    return _Phases(all_of(Slice), memory, all_of(Label), all_of(Arrow))


def _uniform_phases(events: Sequence[Event], uniform: Uniform) -> _Phases:
    """The same of events that are of one phase; of instants only the allocations can be decoded so."""
    if uniform.are_slices:
        return _Phases(cast("Sequence[AnySlice]", events))
    return _Phases([], memory=cast("Sequence[Instant[Any]]", events))


def _categories(slices: Sequence[AnySlice], uniform: Uniform | None) -> tuple[Int8s, list[int]]:
    """The number of each, and those that there are."""
    if uniform is not None and uniform.category is not None:
        number = uniform.category.number
        return np.full(len(slices), number, np.int8), [number]
    # Numbers below 128, and four times faster than `packed`.
    found = np.frombuffer(bytearray([event.cat.number for event in slices]), np.int8)
    return found, np.flatnonzero(np.bincount(found)).tolist()


def _collectives(kineto_category: Int8s, args: Sequence[SliceArgs]) -> Int64s:
    if not args:
        return np.empty(0, np.int64)
    rows = np.flatnonzero(COLLECTIVE.is_of[CATEGORIES[kineto_category]])
    may_be = args if len(rows) == len(args) else [args[row] for row in rows.tolist()]
    names = [one.collective_name for one in may_be]
    # Most chunks have none, and to count is several times faster than to look at each.
    if names.count(ABSENT) == len(names):
        return np.empty(0, np.int64)
    return rows[[name is not ABSENT for name in names]]


SPACE = b" \t\r\n"
_KEY = rb'\{\s{0,200}"(?:' + "|".join(EVENT_KEYS).encode() + rb')"\s{0,200}:'

ARRAY_START = re.compile(rb'(?<!\\)"traceEvents"\s{0,200}:\s{0,200}\[')
EVENT_START = re.compile(rb"[\[,]\s{0,200}(" + _KEY + rb")")
"""Group 1 is the event's first bytes; an object inside an event may match as well."""
ARRAY_END = re.compile(rb'\}(\s{0,200},?\s{0,200}\])(?=\s{0,200}(?:,\s{0,200}"|\}|\Z))')
"""Group 1 is what follows the last event; the end of an array inside an event may match as well."""

LOOSE_START = re.compile(rb"(?<!:)(?<!: )" + _KEY)
"""The same without what stands before it: where bytes were lost, the comma may be gone."""
FIRST_EVENT = re.compile(rb'(?=\{\s{0,200}"ph"\s{0,200}:)')
"""Where an event begins as Kineto writes it; for files whose key of the array is damaged."""

_BOUNDARY = re.compile(rb"\}\s{0,200}(,)\s{0,200}" + _KEY)
_INDENT_BYTES = 64


@dataclass(frozen=True, slots=True)
class Boundary:
    """The bytes between two events of one file, with enough context to be found again."""

    separator: bytes
    comma: int
    """Offset of the comma in `separator`."""

    def last(self, buffer: bytearray, start: int, end: int) -> int | None:
        """Index of the comma after the last complete event in `buffer[start:end]`."""
        found = buffer.rfind(self.separator, start, end)
        return None if found < 0 else found + self.comma


def events_follow(json: bytes, start: int) -> bool:
    """Whether events stand after `start`: then what looks like the end of the array is damage."""
    return FIRST_EVENT.search(json, start) is not None


def learn_boundary(buffer: bytearray, start: int, end: int) -> Boundary | None:
    """The boundary that `buffer[start:end]` shows first, None without one.

    With line breaks the indent alone tells events from objects inside them. Without,
    the first key of the next event is kept as well.
    """
    match = _BOUNDARY.search(buffer, start, end)
    if match is None:
        return None
    before = bytes(buffer[max(start, match.start() - _INDENT_BYTES) : match.start()])
    indent = before[len(before.rstrip(SPACE)) :]
    separator = indent + match.group()
    if b"\n" in separator:
        separator = separator[: separator.rindex(b"{") + 1]
    return Boundary(separator, len(indent) + match.start(1) - match.start())
