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
    AnySlice,
    Arrow,
    Event,
    Instant,
    Label,
    Slice,
)
from tbprof.trace.importers.kineto.events.times import ClockType, Times, exact_starts, exact_times

__all__ = ["Batch", "batch_of"]

_Kind = TypeVar("_Kind", bound=Event)

_MEMORY = "[memory]"


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


def batch_of(
    events: list[Event], fields: frozenset[str], clock: ClockType, used_bytes: int, *, ended: bool
) -> Batch | None:
    """A batch, or None if the clock can't hold its times; `fields` are those of its arguments."""
    met = set(map(type, events))

    def all_of(kind: type[_Kind]) -> list[_Kind]:
        if kind not in met:
            return []
        if len(met) == 1:
            return cast("list[_Kind]", events)
        return [event for event in events if event.__class__ is kind]

    slices: list[AnySlice] = all_of(Slice)
    memory = [event for event in all_of(Instant) if event.name == _MEMORY]
    times, memory_ns = exact_times(slices, clock), exact_starts(memory, clock)
    if times is None or memory_ns is None:
        return None
    # Numbers below 128, and four times faster than `packed`.
    kineto_category = np.frombuffer(bytearray([event.cat.number for event in slices]), np.int8)
    kinds = np.flatnonzero(np.bincount(kineto_category)).tolist()
    may_be_collective = "collective_name" in fields and bool(COLLECTIVE.is_of[CATEGORIES[kinds]].any())
    args = (
        [NO_ARGS if event.args is None else event.args for event in slices]
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
        labels=all_of(Label),
        memory=memory,
        memory_ns=memory_ns,
        arrows=all_of(Arrow),
        num_events=len(events),
        used_bytes=used_bytes,
        ended=ended,
    )


def _collectives(kineto_category: Int8s, args: Sequence[SliceArgs]) -> Int64s:
    if not args:
        return np.empty(0, np.int64)
    rows = np.flatnonzero(COLLECTIVE.is_of[CATEGORIES[kineto_category]])
    return rows[[args[row].collective_name is not ABSENT for row in rows.tolist()]]
