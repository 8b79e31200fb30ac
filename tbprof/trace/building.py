"""Records to columns that grow batch by batch."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter

import numpy as np

from tbprof.trace.arrays import Int64s
from tbprof.trace.columns import Category, Lane, Slices
from tbprof.trace.decode import Batch
from tbprof.trace.eras import STEP_PREFIX
from tbprof.trace.event_args import NO_ARGS, SliceArgs
from tbprof.trace.growing import GrowingArray
from tbprof.trace.interning import CategoryTable, LaneTable, NameTable
from tbprof.trace.moments import ForwardBackwardArrows, MemoryColumns
from tbprof.trace.sparse import ArgColumns

__all__ = ["Columns"]

_name = attrgetter("name")
_category = attrgetter("cat")
_arguments = attrgetter("args")
_correlation = attrgetter("correlation")
_LARGEST_ID = 2**53


class Columns:
    """The columns of one trace while it is read."""

    def __init__(self) -> None:
        self.num_events = 0
        self.negative_durations = 0
        self.has_decimals = False
        self.arrow_categories: set[str] = set()
        self.names = NameTable()
        self.categories = CategoryTable()
        self.args = ArgColumns(self.names)
        self.memory = MemoryColumns()
        self.arrows = ForwardBackwardArrows()
        self._lanes = LaneTable()
        self._start_ns, self._duration_ns = GrowingArray(np.int64), GrowingArray(np.int64)
        self._name, self._lane = GrowingArray(np.int32), GrowingArray(np.int32)
        self._category = GrowingArray(np.int8)
        self._correlation = GrowingArray(np.int64)

    @property
    def has_rows(self) -> bool:
        """Whether a complete event was met."""
        return len(self._start_ns) > 0

    def add(self, batch: Batch) -> None:
        """Append the rows of one batch."""
        self.num_events += batch.num_events
        self.arrow_categories |= batch.arrow_categories
        self._lanes.name(batch.labels)
        if batch.slices:
            self._add_slices(batch)
        if batch.memory:
            self.memory.add(batch.memory, batch.memory_ns, self._lanes.numbers(batch.memory))
        if batch.arrows:
            self.arrows.add(batch.arrows, batch.arrow_ns, self._lanes.numbers(batch.arrows))

    def _add_slices(self, batch: Batch) -> None:
        slices, count = batch.slices, len(batch.slices)
        args = list(map(_arguments, slices))
        if type(None) in set(map(type, args)):
            args = [NO_ARGS if found is None else found for found in args]
        category = np.fromiter(map(self.categories.__getitem__, map(_category, slices)), np.int8, count)
        self.args.add(len(self._start_ns), category, slices, args)
        self.has_decimals = self.has_decimals or batch.times.has_decimals
        self.negative_durations += int((batch.times.duration_ns < 0).sum())
        self._start_ns.extend(batch.times.start_ns)
        self._duration_ns.extend(np.maximum(batch.times.duration_ns, 0))
        self._name.extend(np.fromiter(map(self.names.__getitem__, map(_name, slices)), np.int32, count))
        self._category.extend(category)
        self._lane.extend(self._lanes.numbers(slices))
        self._correlation.extend(_ids(args))

    def slices(self) -> Slices:
        """All rows so far, to be asked for once."""
        name, category = self._name.take(), self._category.take()
        steps = np.array([name.startswith(STEP_PREFIX) for name in self.names], bool)
        # 2021 calls a step an operator; an operator is what may contain calls, a step is not.
        category[(category == Category.CPU_OP) & steps[name]] = Category.USER_ANNOTATION
        return Slices(
            start_ns=self._start_ns.take(),
            duration_ns=self._duration_ns.take(),
            name=name,
            category=category,
            lane=self._lane.take(),
            correlation=self._correlation.take(),
        )

    def lanes(self) -> tuple[Lane, ...]:
        """The threads and streams that have events."""
        return self._lanes.lanes()


def _ids(args: Iterable[SliceArgs]) -> Int64s:
    ids = np.array(list(map(_correlation, args)), np.float64)
    return np.where(np.abs(ids) < _LARGEST_ID, ids, -1.0).astype(np.int64)
