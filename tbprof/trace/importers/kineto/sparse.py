"""The arguments that only some rows have: which rows have them and what they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from typing import Any

import numpy as np
import numpy.typing as npt

from tbprof.trace.columns.arrays import Int8s, Int32s, SparseColumn, SparseFloats
from tbprof.trace.columns.tables import Tables
from tbprof.trace.importers.kineto.events.batch import Batch
from tbprof.trace.importers.kineto.events.category_args import (
    ARGS,
    COLLECTIVE,
    FRACTIONS,
    GPU_PLACE,
    MESSAGE,
    ArgGroup,
    TextFields,
)
from tbprof.trace.importers.kineto.events.event_args import Scalar, SliceArgs
from tbprof.trace.importers.kineto.events.events import AnySlice
from tbprof.trace.importers.kineto.events.times import packed
from tbprof.trace.importers.kineto.interning import GrowingColumn, NameTable, TextTable

Floats = npt.NDArray[np.float64]

_NUMBER = re.compile(r"(?:stream )?(\d{1,9})\Z")


class ArgColumns:
    """The sparse columns of one trace, named as in `Trace`."""

    def __init__(self, names: NameTable, tables: Tables) -> None:
        """`names` is where texts are interned; `tables` are those that are wanted."""
        self._groups = [group for group in ARGS if group.table in (None, *tables)]
        self._numbers: dict[str, GrowingColumn[Any]] = {
            field.name: GrowingColumn(field.dtype, field.missing)
            for group in self._groups
            for field in group.numbers
        }
        self._texts = {group.texts: _TextColumns(group.texts, names) for group in self._groups if group.texts}

    def add(self, first_row: int, category: Int8s, met: Set[int], batch: Batch) -> None:
        """Append what a batch of rows has.

        Args:
            first_row: The number of its first.
            category: Of each row, as `met`.
            met: Those that any row has.
            batch: The rows.
        """
        for group in self._groups:
            if met.isdisjoint(group.categories):
                continue
            is_collective = group is COLLECTIVE or group is MESSAGE
            rows = batch.collectives
            if not is_collective:
                # Where all rows are of one kind, those of its groups are all of them.
                rows = np.arange(len(category)) if len(met) == 1 else np.flatnonzero(group.is_of[category])
            if len(rows):
                self._add(group, first_row, rows, batch)

    def columns(self) -> dict[str, SparseColumn]:
        """The columns of integers and of texts by name, to be asked for once."""
        found = {name: column.take() for name, column in self._numbers.items() if name not in FRACTIONS}
        for texts in self._texts.values():
            found |= texts.take()
        return found

    def fractions(self) -> dict[str, SparseFloats]:
        """The same of those that hold no integers."""
        return {name: self._numbers[name].take_floats() for name in FRACTIONS if name in self._numbers}

    def _add(
        self,
        group: ArgGroup,
        first_row: int,
        rows: npt.NDArray[np.intp],
        batch: Batch,
    ) -> None:
        args = batch.args
        wanted = args if len(rows) == len(args) else [args[row] for row in rows.tolist()]
        numbers = [numbers_of(field.read(wanted)) for field in group.numbers]
        if group is GPU_PLACE:
            device, stream = numbers
            _complete_places(device, stream, rows, batch.slices)
        file_rows = (rows + first_row).astype(np.int32)
        for field, values in zip(group.numbers, numbers, strict=True):
            self._numbers[field.name].add(file_rows, values)
        if group.texts:
            self._texts[group.texts].add(file_rows, wanted)


class _TextColumns:
    """The texts of one group of arguments. Mostly all those of a row repeat together."""

    def __init__(self, fields: TextFields, names: NameTable) -> None:
        self._fields = fields
        self._table = TextTable(names, len(fields.names))
        self._column = GrowingColumn(np.int32)

    def add(self, rows: Int32s, args: Sequence[SliceArgs]) -> None:
        texts = self._fields.read(args)
        # Of many recordings no row of a batch has any.
        if any(texts):
            self._column.add(rows, self._table.numbers(texts))

    def take(self) -> dict[str, SparseColumn]:
        return dict(zip(self._fields.names, self._columns(), strict=True))

    def _columns(self) -> Iterator[SparseColumn]:
        held = self._column.take()
        for names in self._table.names_by_field():
            values = names[held.values]
            known = values >= 0
            # Columns that the same rows have share the array of these rows.
            rows = held.rows if known.all() else held.rows[known]
            yield SparseColumn(rows, values[known], -1)


def _complete_places(
    device: Floats, stream: Floats, rows: npt.NDArray[np.intp], slices: Sequence[AnySlice]
) -> None:
    """Let the lane say where a row ran that does not say it: its process is the device."""
    for index in np.flatnonzero(device < 0).tolist():
        event = slices[rows[index]]
        device[index] = _number_in(event.pid)
        if stream[index] < 0:
            stream[index] = _number_in(event.tid)


def numbers_of(values: Sequence[Scalar]) -> Floats:
    """The numbers among `values`, -1 for what is none."""
    try:
        return packed(values, np.float64)
    except ValueError:
        return np.array([_float(value) for value in values], np.float64)


def _float(value: Scalar) -> float:
    try:
        return -1.0 if value is None else float(value)
    except ValueError:
        return -1.0


def _number_in(text: int | str) -> int:
    match = _NUMBER.match(str(text))
    return int(match[1]) if match else -1
