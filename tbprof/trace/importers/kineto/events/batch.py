"""The records of one chunk, by what is done with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar, cast

import numpy as np

from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int8s, Int64s
from tbprof.trace.columns.eras import CATEGORIES
from tbprof.trace.importers.kineto.events.category_args import COLLECTIVE
from tbprof.trace.importers.kineto.events.event_args import ABSENT, NO_ARGS, SliceArgs
from tbprof.trace.importers.kineto.events.events import (
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
    """Of each slice, by the number of the `KinetoCategory`."""
    kinds: Sequence[int]
    """Those that any slice has: of most chunks one or two."""
    args: Sequence[SliceArgs]
    """Of each slice; what they were decoded without may not be asked for."""
    collectives: Int64s
    """The slices that name a collective, by their places."""
    times: Times
    """Of the slices."""
    labels: Sequence[Label]
    memory: Sequence[Instant[Any]]
    """The `[memory]` instants, if they are wanted."""
    memory_ns: Int64s
    arrows: Sequence[Arrow]
    num_events: int
    """Of every phase."""
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
        ended: Whether the event array closes behind them.
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
