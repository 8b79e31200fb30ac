"""Records to columns that grow batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from tbprof.trace.columns.arrays import NONE, Int32s, Int64s
from tbprof.trace.columns.columns import Category, Slices
from tbprof.trace.columns.eras import CATEGORIES, MODULE_PREFIX, STEP_PREFIX, KinetoCategory
from tbprof.trace.columns.tables import NO_TABLES, MemoryEvents, Tables
from tbprof.trace.importers.kineto.events.batch import Batch
from tbprof.trace.importers.kineto.events.event_args import InstantArgs, Scalar
from tbprof.trace.importers.kineto.events.events import Instant, Timed
from tbprof.trace.importers.kineto.events.times import packed
from tbprof.trace.importers.kineto.interning import GrowingArray, LaneTable, NameTable
from tbprof.trace.importers.kineto.rows import Rows
from tbprof.trace.importers.kineto.sparse import ArgColumns, numbers_of

_LARGEST_ID = 2**53
_FEW = 1000


class ColumnBuilder:
    """The columns of one trace while it is read."""

    def __init__(self, tables: Tables = NO_TABLES) -> None:
        """`tables` are those that are wanted."""
        self.num_events = 0
        self._num_labels = 0
        self.names = NameTable()
        self.args = ArgColumns(self.names, tables)
        self.memory = MemoryColumns() if "memory" in tables else None
        self._lanes = LaneTable()
        self._start_ns, self._duration_ns = GrowingArray(np.int64), GrowingArray(np.int64)
        self._name, self._lane = GrowingArray(np.int32), GrowingArray(np.int32)
        self._category = GrowingArray(np.int8)
        self._correlation = GrowingArray(np.int64)
        self._is_met = np.zeros(len(KinetoCategory), bool)

    def add(self, batch: Batch) -> None:
        """Append the rows of one batch."""
        self.num_events += batch.num_events
        self._num_labels += len(batch.labels)
        self._lanes.name(batch.labels)
        if batch.slices:
            self._add_slices(batch)
        if batch.memory and self.memory is not None:
            self.memory.add(batch.memory, batch.memory_ns, self._lanes_of(batch, batch.memory))
        if batch.arrows:
            self._is_met[[arrow.cat.number for arrow in batch.arrows]] = True

    def _add_slices(self, batch: Batch) -> None:
        self._is_met[batch.kinds] = True
        met = set(CATEGORIES[batch.kinds].tolist())
        if len(batch.kinds) == 1:
            category = np.full(len(batch.slices), CATEGORIES[batch.kinds[0]])
        else:
            category = CATEGORIES[batch.kineto_category]
        self.args.add(len(self._start_ns), category, met, batch)
        self._start_ns.extend(batch.times.start_ns)
        self._duration_ns.extend(batch.times.duration_ns)
        number_of = self.names
        self._name.extend(packed([number_of[event.name] for event in batch.slices], np.int32))
        self._category.extend(category)
        self._lane.extend(self._lanes_of(batch, batch.slices))
        # Of many recordings most rows are Python frames, which have none.
        ids = (
            np.full(len(category), NONE)
            if met == {Category.PYTHON}
            else _ids([one.correlation for one in batch.args])
        )
        self._correlation.extend(ids)

    def _lanes_of(self, batch: Batch, events: Sequence[Timed]) -> Int32s:
        if batch.uniform is None:
            return self._lanes.numbers(events)
        lane = self._lanes[batch.uniform.process, batch.uniform.thread]
        return np.full(len(events), lane, np.int32)

    def take(self) -> Rows:
        """All rows, to be asked for once."""
        slices = self._slices()
        is_negative = slices.duration_ns < 0
        slices.duration_ns[is_negative] = 0
        return Rows(
            slices=slices,
            memory=None if self.memory is None else self.memory.take(),
            args=self.args.columns(),
            fractions=self.args.fractions(),
            names=tuple(self.names),
            places=self._lanes.places(),
            thread_names=self._lanes.thread_names,
            process_names=self._lanes.process_names,
            categories=frozenset(category for category in KinetoCategory if self._is_met[category.number]),
            has_decimals=_has_decimals(slices.start_ns),
            negative_durations=int(is_negative.sum()),
            num_events=self.num_events,
            num_labels=self._num_labels,
        )

    def _slices(self) -> Slices:
        name, category = self._name.take(), self._category.take()
        ranges = np.array([name.startswith((STEP_PREFIX, MODULE_PREFIX)) for name in self.names], bool)
        # 2021 calls a step an operator, and so are the hook's marks: what may contain calls, they are not.
        category[(category == Category.CPU_OP) & ranges[name]] = Category.USER_ANNOTATION
        return Slices(
            start_ns=self._start_ns.take(),
            duration_ns=self._duration_ns.take(),
            name=name,
            category=category,
            lane=self._lane.take(),
            correlation=_narrow(self._correlation.take()),
        )


def _has_decimals(start_ns: Int64s) -> bool:
    """Whether one is finer than 1 us: of nearly all files that have such the first few rows tell."""
    return any((rows % 1000).any() for rows in (start_ns[:_FEW], start_ns[_FEW:]))


def _narrow(numbers: Int64s) -> Int32s | Int64s:
    narrow = numbers.astype(np.int32)
    return narrow if (narrow == numbers).all() else numbers


def _ids(numbers: Sequence[float]) -> Int64s:
    ids = packed(numbers, np.float64)
    return np.where(np.abs(ids) < _LARGEST_ID, ids, -1.0).astype(np.int64)


_NO_ARGS = InstantArgs()
_LARGEST = 2.0**53
_Read: TypeAlias = "Callable[[Sequence[InstantArgs]], list[Scalar]]"
_WIDE: Mapping[str, _Read] = {
    "bytes": lambda args: [one.bytes for one in args],
    "total_allocated_bytes": lambda args: [one.total_allocated_bytes for one in args],
    "total_reserved_bytes": lambda args: [one.total_reserved_bytes for one in args],
    "address": lambda args: [one.address for one in args],
}
_NARROW: Mapping[str, _Read] = {
    "device_type": lambda args: [one.device_type for one in args],
    "device": lambda args: [one.device for one in args],
}


class MemoryColumns:
    """The memory events while they are read."""

    def __init__(self) -> None:
        self._time_ns = GrowingArray(np.int64)
        self._lane = GrowingArray(np.int32)
        self._wide = {field: GrowingArray(np.int64) for field in _WIDE}
        self._narrow = {field: GrowingArray(np.int8) for field in _NARROW}

    def add(self, events: Sequence[Instant[Any]], time_ns: Int64s, lane: Int32s) -> None:
        """Append a batch, with the time and the lane of each."""
        self._time_ns.extend(time_ns)
        self._lane.extend(lane)
        args = [_NO_ARGS if event.args is None else event.args for event in events]
        for field, wide in self._wide.items():
            values = numbers_of(_WIDE[field](args))
            wide.extend(np.where(np.abs(values) < _LARGEST, values, -1))
        for field, narrow in self._narrow.items():
            values = numbers_of(_NARROW[field](args))
            narrow.extend(np.where(np.abs(values) < np.iinfo(np.int8).max, values, -1))

    def take(self) -> MemoryEvents:
        """All of them, to be asked for once."""
        return MemoryEvents(
            time_ns=self._time_ns.take(),
            lane=self._lane.take(),
            bytes=self._wide["bytes"].take(),
            total_allocated_bytes=self._wide["total_allocated_bytes"].take(),
            total_reserved_bytes=self._wide["total_reserved_bytes"].take(),
            device_type=self._narrow["device_type"].take(),
            device=self._narrow["device"].take(),
            address=self._wide["address"].take(),
        )
