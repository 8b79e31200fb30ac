"""The arguments that only some rows have: which rows have them and what they are."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tbprof.trace.arrays import Int8s, Int32s, SparseColumn, SparseFloats
from tbprof.trace.category_args import (
    ARGS,
    COLLECTIVE,
    EARLIER,
    FRACTIONS,
    INTEGERS,
    MAY_BE_COLLECTIVE,
    ArgFields,
)
from tbprof.trace.columns import Category
from tbprof.trace.event_args import ABSENT, Scalar, SliceArgs
from tbprof.trace.events import AnySlice
from tbprof.trace.growing import GrowingColumn
from tbprof.trace.interning import NameTable, TextTable

__all__ = ["ArgColumns", "numbers_of"]

Floats = npt.NDArray[np.float64]
Values: TypeAlias = "Floats | Int32s"

_NUMBER = re.compile(r"(?:stream )?(\d{1,9})\Z")


class ArgColumns:
    """The sparse columns of one trace, named as in `Trace`."""

    def __init__(self, names: NameTable) -> None:
        """`names` is where texts are interned."""
        self._texts = TextTable(names)
        self._columns: dict[str, GrowingColumn[Any]] = {
            **{name: GrowingColumn(field.dtype, field.missing) for name, field in INTEGERS.items()},
            **{name: GrowingColumn(np.float32, -1) for name in FRACTIONS},
        }

    def add(
        self, first_row: int, category: Int8s, slices: Sequence[AnySlice], args: Sequence[SliceArgs]
    ) -> None:
        """Append what a batch of rows has; `first_row` is the number of its first."""
        found = _Found(self._texts)
        by_category = np.argsort(category, kind="stable").astype(np.int32)
        ends = np.cumsum(np.bincount(category, minlength=len(Category))).tolist()
        for kind, fields in ARGS.items():
            rows = by_category[ends[kind - 1] if kind else 0 : ends[kind]]
            if len(rows):
                wanted = [args[row] for row in rows.tolist()]
                found.add(fields, rows, wanted)
                if kind in MAY_BE_COLLECTIVE and any(one.collective_name is not ABSENT for one in wanted):
                    found.add(COLLECTIVE, rows, wanted)
        found.complete_places(slices)
        for field, rows, values in found.columns():
            self._columns[field].add(rows + np.int32(first_row), values)

    def integers(self) -> dict[str, SparseColumn]:
        """The columns by name, to be asked for once."""
        return {field: self._columns[field].take() for field in INTEGERS}

    def fractions(self, field: str) -> SparseFloats:
        """The same of a column that holds no integers."""
        return self._columns[field].take_floats()


class _Found:
    """What one batch has of each field, category by category."""

    def __init__(self, texts: TextTable) -> None:
        self._texts = texts
        self._parts: defaultdict[str, list[tuple[Int32s, Values]]] = defaultdict(list)

    def add(self, fields: ArgFields, rows: Int32s, args: Sequence[SliceArgs]) -> None:
        """Take what these rows of one category have."""
        for field in fields.numbers:
            numbers = numbers_of(list(map(field.read, args)))
            if field.name in EARLIER and (numbers < 0).all():
                numbers = numbers_of(list(map(EARLIER[field.name], args)))
            self._parts[field.name].append((rows, numbers))
        for field in fields.texts:
            raws = list(map(field.read, args))
            # A file is recorded with shapes or without: often no row has the text.
            if raws.count(ABSENT) < len(raws):
                self._parts[field.name].append((rows, self._texts.numbers(raws)))

    def complete_places(self, slices: Sequence[AnySlice]) -> None:
        """Let the lane say where a row ran that does not say it: its process is the device."""
        for (rows, device), (_, stream) in zip(self._parts["device"], self._parts["stream"], strict=True):
            for index in np.flatnonzero(device < 0).tolist():
                event = slices[rows[index]]
                device[index] = _number_in(event.pid)
                if stream[index] < 0:
                    stream[index] = _number_in(event.tid)

    def columns(self) -> Iterator[tuple[str, Int32s, Values]]:
        """Each field with its rows, in ascending order, and their values."""
        for field, parts in self._parts.items():
            if len(parts) == 1:
                yield field, *parts[0]
            elif parts:
                rows = np.concatenate([part for part, _ in parts])
                order = np.argsort(rows)
                yield field, rows[order], np.concatenate([values for _, values in parts])[order]


def numbers_of(values: Sequence[Scalar]) -> Floats:
    """The numbers among `values`, -1 for what is none."""
    try:
        return np.fromiter(values, np.float64, len(values))
    except (TypeError, ValueError):
        return np.array([_float(value) for value in values], np.float64)


def _float(value: Scalar) -> float:
    try:
        return -1.0 if value is None else float(value)
    except ValueError:
        return -1.0


def _number_in(text: int | str) -> int:
    match = _NUMBER.match(str(text))
    return int(match[1]) if match else -1
