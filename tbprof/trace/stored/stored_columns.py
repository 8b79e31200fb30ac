"""A trace as files: one raw array a column, and a head that says what they are.

Columns are mapped into memory and paged in as they are used. Whatever is not exactly as
it was written is refused.
"""

from __future__ import annotations

import mmap
import zlib
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from tbprof.model import HealthFact, HookFacts
from tbprof.trace.columns.arrays import SparseColumn, SparseFloats
from tbprof.trace.columns.columns import Lane, MemoryEvents, Slices, Trace

__all__ = ["SCHEMA", "load_columns", "write_columns"]

SCHEMA = 2
"""To be raised when the columns or the head change."""

_HEAD = "head.json"
_TABLES = {table.__name__: table for table in (Slices, SparseColumn, SparseFloats, MemoryEvents)}
_TYPES = ("int64", "int32", "int8", "float32")


@dataclass(frozen=True, slots=True)
class _ArrayHead:
    dtype: str
    length: int
    total: int
    """Sum of its bits, taken as unsigned numbers: tells damage at the speed of memory."""


@dataclass(frozen=True, slots=True)
class _Head:
    arrays: dict[str, _ArrayHead]
    """By `field.column` of `Trace`."""
    missing: dict[str, int]
    """Of the sparse columns."""
    names: tuple[str, ...]
    lanes: tuple[Lane, ...]
    device_names: dict[int, str]
    rank: int | None
    world_size: int | None
    era: str
    origin_ns: int
    num_events: int
    facts: HookFacts | None
    health: tuple[HealthFact, ...]


_PLAIN = tuple(field.name for field in fields(_Head) if field.name not in ("arrays", "missing"))


def write_columns(trace: Trace, folder: Path) -> None:
    """Write the trace into the empty `folder`.

    Raises:
        OSError: the disk is full, or the folder can't be written to.
    """
    arrays = _arrays_of(trace)
    for name, array in arrays.items():
        array.tofile(folder / name)
    head = _Head(
        arrays={
            name: _ArrayHead(str(array.dtype), len(array), _total(array)) for name, array in arrays.items()
        },
        missing={
            field.name: column.missing
            for field in fields(trace)
            if isinstance(column := getattr(trace, field.name), SparseColumn)
        },
        **{name: getattr(trace, name) for name in _PLAIN},
    )
    json = msgspec.json.encode(head)
    (folder / _HEAD).write_bytes(b"%08x" % zlib.crc32(json) + json)


def load_columns(folder: Path, path: str) -> Trace:
    """The trace that was written into `folder`, as that of the file at `path`. Its arrays are read-only.

    Raises:
        OSError: a file is missing.
        ValueError: a file is not as it was written.
    """
    content = (folder / _HEAD).read_bytes()
    json = content[8:]
    if content[:8] != b"%08x" % zlib.crc32(json):
        raise ValueError(f"{folder} has a damaged head")
    try:
        head = msgspec.json.decode(json, type=_Head)
    except msgspec.MsgspecError as error:
        raise ValueError(f"{folder} has another head") from error
    tables = {
        field.name: _table(folder, field.name, _TABLES[str(field.type)], head)
        for field in fields(Trace)
        if field.type in _TABLES
    }
    return Trace(path=path, **tables, **{name: getattr(head, name) for name in _PLAIN})


def _arrays_of(trace: Trace) -> dict[str, npt.NDArray[Any]]:
    found = {}
    for field in fields(trace):
        table = getattr(trace, field.name)
        for column in fields(table) if is_dataclass(table) else ():
            array = getattr(table, column.name)
            if isinstance(array, np.ndarray):
                found[f"{field.name}.{column.name}"] = array
    return found


def _table(folder: Path, field: str, table: type[Any], head: _Head) -> Any:
    columns = {
        column.name: _mapped(folder / name, head.arrays[name])
        for column in fields(table)
        if (name := f"{field}.{column.name}") in head.arrays
    }
    return table(**columns, missing=head.missing[field]) if table is SparseColumn else table(**columns)


def _mapped(path: Path, head: _ArrayHead) -> npt.NDArray[Any]:
    if head.dtype not in _TYPES:
        raise ValueError(f"{path} has no type of a column")
    with path.open("rb") as file:
        # What is empty can't be mapped.
        held = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if head.length else b""
    array = np.frombuffer(held, np.dtype(head.dtype))
    if len(array) != head.length or _total(array) != head.total:
        raise ValueError(f"{path} is not as it was written")
    return array


def _total(array: npt.NDArray[Any]) -> int:
    bits = array.view(f"u{array.itemsize}")
    return int(np.add.reduce(bits, dtype=np.uint64))
