"""The arguments that only some rows have: which rows have them and what they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import attrgetter

import numpy as np
import numpy.typing as npt

from tbprof.trace.columns import Category, Int8s, Int64s, SparseColumn
from tbprof.trace.eras import GPU_WORK
from tbprof.trace.events import AnySlice, Scalar, SliceArgs
from tbprof.trace.interning import NameTable

__all__ = ["ArgColumns", "Growing"]


def _set(*wanted: Category) -> npt.NDArray[np.bool_]:
    """A set of categories as a table: far faster for one chunk than `np.isin`."""
    return np.isin(np.array(Category), wanted)


_ON_DEVICE = _set(*GPU_WORK, Category.SYNC, Category.GPU_ANNOTATION)
_MOVES_BYTES = _set(Category.MEMCPY, Category.MEMSET)
_MAY_HAVE_STACK = _set(Category.CPU_OP, Category.USER_ANNOTATION)
_CALLS = _set(Category.RUNTIME)
_SYNCS = _set(Category.SYNC)
_NONE_NAMED = 2**32 - 1
"""CUPTI's -1 of a stream, as some versions of Kineto print it."""
_NUMBER = re.compile(r"(?:stream )?(\d{1,9})\Z")


class Growing:
    """A sparse column while it grows; rows come in ascending order."""

    def __init__(self, missing: int) -> None:
        self.missing = missing
        self._rows: list[Int64s] = []
        self._values: list[Int64s] = []

    def add(self, rows: Int64s, values: Int64s) -> None:
        """Append those of the rows whose value is not the missing one."""
        known = values != self.missing
        self._rows.append(rows[known])
        self._values.append(values[known])

    def column(self) -> SparseColumn:
        """All rows so far."""
        none = np.empty(0, np.int64)
        return SparseColumn(
            np.concatenate([none, *self._rows]), np.concatenate([none, *self._values]), self.missing
        )


class ArgColumns:
    """The sparse columns of one trace, named as in `Trace`."""

    def __init__(self, names: NameTable) -> None:
        """`names` is where call stacks are interned."""
        self._names = names
        self.device = Growing(-1)
        self.stream = Growing(-1)
        self.bytes = Growing(0)
        self.copy_kind = Growing(0)
        self.awaited_stream = Growing(-1)
        self.awaited_record = Growing(-1)
        self.call_stack = Growing(-1)

    def add(
        self, first_row: int, category: Int8s, slices: Sequence[AnySlice], args: Sequence[SliceArgs]
    ) -> None:
        """Append what a batch of rows has; `first_row` is the number of its first."""
        self._add_places(first_row, _rows(category, _ON_DEVICE), slices, args)
        self._take(self.bytes, "bytes", first_row, _rows(category, _MOVES_BYTES), args)
        syncs = _rows(category, _SYNCS)
        self._take(self.awaited_stream, "awaited_stream", first_row, syncs, args)
        self._take(self.awaited_record, "awaited_record", first_row, syncs, args)
        calls = [row for row in _rows(category, _CALLS).tolist() if args[row].kind is not None]
        self._take(self.copy_kind, "kind", first_row, np.array(calls, np.int64), args)
        self._add_stacks(first_row, _rows(category, _MAY_HAVE_STACK), args)

    def _take(
        self, column: Growing, field: str, first_row: int, rows: Int64s, args: Sequence[SliceArgs]
    ) -> None:
        if len(rows):
            found = map(attrgetter(field), [args[row] for row in rows.tolist()])
            column.add(rows + first_row, _integers(list(found), column.missing))

    def _add_places(
        self, first_row: int, rows: Int64s, slices: Sequence[AnySlice], args: Sequence[SliceArgs]
    ) -> None:
        if not len(rows):
            return
        wanted = rows.tolist()
        device = _integers([args[row].device for row in wanted], -1)
        stream = _integers([args[row].stream for row in wanted], -1)
        for index in np.flatnonzero(device < 0).tolist():
            # Then the lane says it: a device is a process of the trace, a stream its thread.
            event = slices[wanted[index]]
            device[index] = _number_in(event.pid)
            if stream[index] < 0:
                stream[index] = _number_in(event.tid)
        self.device.add(rows + first_row, device)
        self.stream.add(rows + first_row, stream)

    def _add_stacks(self, first_row: int, rows: Int64s, args: Sequence[SliceArgs]) -> None:
        found = [row for row in rows.tolist() if args[row].call_stack]
        if found:
            stacks = [self._names[args[row].call_stack] for row in found]
            self.call_stack.add(np.array(found, np.int64) + first_row, np.array(stacks, np.int64))


def _rows(category: Int8s, wanted: npt.NDArray[np.bool_]) -> Int64s:
    return np.flatnonzero(wanted[category]).astype(np.int64)


def _integers(values: Sequence[Scalar], missing: int) -> Int64s:
    try:
        numbers = np.fromiter(values, np.float64, len(values))
    except (TypeError, ValueError):
        numbers = np.array([_float(value, missing) for value in values], np.float64)
    numbers[numbers == _NONE_NAMED] = missing
    return np.where(np.abs(numbers) < 2**53, numbers, missing).astype(np.int64)


def _float(value: Scalar, missing: int) -> float:
    try:
        return missing if value is None else float(value)
    except ValueError:
        return missing


def _number_in(text: int | str) -> int:
    match = _NUMBER.match(str(text))
    return int(match[1]) if match else -1
