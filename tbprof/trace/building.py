"""Records to columns that grow batch by batch."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

import numpy as np

from tbprof.trace.columns import Category, Int64s, Lane, Slices
from tbprof.trace.decode import Batch
from tbprof.trace.eras import STEP_PREFIX
from tbprof.trace.events import NO_ARGS, SliceArgs
from tbprof.trace.interning import CategoryTable, LaneTable, NameTable
from tbprof.trace.sparse import ArgColumns

__all__ = ["Columns"]

_name = attrgetter("name")
_category = attrgetter("cat")
_place = attrgetter("pid", "tid")
_arguments = attrgetter("args")
_correlation = attrgetter("correlation")
_LARGEST_ID = 2**53


class Columns:
    """The columns of one trace while it is read."""

    def __init__(self) -> None:
        self.num_events = 0
        self.negative_durations = 0
        self.has_decimals = False
        self.arrows: set[str] = set()
        self.names = NameTable()
        self.categories = CategoryTable()
        self.args = ArgColumns(self.names)
        self._lanes = LaneTable()
        self._rows = 0
        self._parts: list[Slices] = []

    @property
    def has_rows(self) -> bool:
        """Whether a complete event was met."""
        return self._rows > 0

    def add(self, batch: Batch) -> None:
        """Append the rows of one batch."""
        self.num_events += batch.num_events
        self.arrows |= batch.arrows
        self._lanes.name(batch.labels)
        if not batch.slices:
            return
        self.has_decimals = self.has_decimals or batch.times.has_decimals
        args = list(map(_arguments, batch.slices))
        if None in args:
            args = [NO_ARGS if found is None else found for found in args]
        part = self._part(batch, args)
        self.args.add(self._rows, part.category, batch.slices, args)
        self._parts.append(part)
        self._rows += len(part)

    def _part(self, batch: Batch, args: Sequence[SliceArgs]) -> Slices:
        slices, count = batch.slices, len(batch.slices)
        self.negative_durations += int((batch.times.duration_ns < 0).sum())
        return Slices(
            start_ns=batch.times.start_ns,
            duration_ns=np.maximum(batch.times.duration_ns, 0),
            name=np.fromiter(map(self.names.__getitem__, map(_name, slices)), np.int32, count),
            category=np.fromiter(map(self.categories.__getitem__, map(_category, slices)), np.int8, count),
            lane=np.fromiter(map(self._lanes.__getitem__, map(_place, slices)), np.int32, count),
            correlation=_ids(args),
        )

    def slices(self) -> Slices:
        """All rows so far; the parts are given up, so ask once."""
        parts, self._parts = self._parts, []
        joined = Slices(**{column: _joined(parts, column) for column in Slices.__slots__})
        steps = np.array([name.startswith(STEP_PREFIX) for name in self.names], bool)
        # 2021 calls a step an operator; an operator is what may contain calls, a step is not.
        is_step = (joined.category == Category.CPU_OP) & steps[joined.name]
        joined.category[is_step] = Category.USER_ANNOTATION
        return joined

    def lanes(self) -> tuple[Lane, ...]:
        """The threads and streams that have rows."""
        return self._lanes.lanes()


def _ids(args: Sequence[SliceArgs]) -> Int64s:
    ids = np.fromiter(map(_correlation, args), np.float64, len(args))
    return np.where(np.abs(ids) < _LARGEST_ID, ids, -1.0).astype(np.int64)


def _joined(parts: Sequence[Slices], column: str) -> np.ndarray:
    return np.concatenate([getattr(part, column) for part in parts])
