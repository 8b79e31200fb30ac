"""Columns of large traces, kept in the user's cache folder.

The key is what the file is, not what it is called: device, inode, size and times of the last
changes, and the versions of the columns and of tbprof. An entry has all tables: the next
question is mostly about another one, and to read them as well takes a tenth longer at most.
A folder that is not the user's own, or that others may write to, is not used.

A trace as files: one raw array a column, and a head that says what they are.

Columns are mapped into memory and paged in as they are used. Whatever is not exactly as
it was written is refused.
"""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import os
import re
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import Field, fields
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from tbprof.folders import private_cache_folder
from tbprof.model import HealthFact, HookFacts
from tbprof.records import dataclass
from tbprof.safe_open import content_within, identity_of, open_regular, status_of_regular
from tbprof.trace.columns.arrays import SparseColumn, SparseFloats
from tbprof.trace.columns.columns import Lane, Slices, Trace
from tbprof.trace.columns.tables import ALL_TABLES, ARGUMENT_TABLES, NO_TABLES, MemoryEvents, Tables
from tbprof.trace.importers.graph_files import state_of_graph_files
from tbprof.trace.importers.source import shown_path
from tbprof.trace.reading import read_trace
from tbprof.version import __version__

WORTH_KEEPING_BYTES = 5 * 1000**2
"""Smaller files, on the disk, are read again: that takes less than a second, packed ones too."""
MAX_CACHE_BYTES = 4 * 1024**3
"""Beyond it the traces that were not used for longest go."""

_PART = ".part"
_OURS = re.compile(r"[0-9a-f]{32}|\.[0-9a-f]{16}\.part")
"""Names of entries and of parts: nothing else is removed, whoever put it there."""

_ABANDONED_S = 3600.0
"""After which a part that is still there is nobody's any more."""


def read_trace_cached(
    path: str | os.PathLike[str],
    *,
    tables: Tables = NO_TABLES,
    progress: Callable[[int, int], None] | None = None,
) -> Trace:
    """`read_trace`, but a large file is read on several cores, and not again if it was read before.

    The arrays of the trace may be read-only. What can't be kept is simply read again.

    Args:
        path: The file.
        tables: Optional tables that are wanted; a large trace has all of them.
        progress: Called with the bytes read so far and the size of the file on disk.

    Raises:
        TraceError: as `read_trace` does.
    """
    key = _key(path)
    folder = private_cache_folder("columns") if key is not None else None
    if key is None or folder is None:
        return read_trace(path, tables=tables, progress=progress, in_parallel=True)
    kept = _kept(folder / key, path)
    if kept is not None:
        return kept
    trace = read_trace(path, tables=ALL_TABLES, progress=progress, in_parallel=True)
    # A file that grew meanwhile is another file by now.
    if _key(path) == key:
        with contextlib.suppress(OSError):
            _keep(folder / key, trace)
            _make_room(folder)
    return trace


def _key(path: str | os.PathLike[str]) -> str | None:
    """Names what the file is; None for one that is not worth keeping, or can't be read."""
    try:
        if status_of_regular(path).st_size < WORTH_KEEPING_BYTES:
            return None
        file = identity_of(path)
    except (OSError, ValueError):
        return None
    parts = (*file, *state_of_graph_files(path), SCHEMA, __version__)
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


def _kept(entry: Path, path: str | os.PathLike[str]) -> Trace | None:
    """The trace of an entry; a damaged one is removed, so that it can be written again."""
    try:
        trace = load_columns(entry, shown_path(path))
        os.utime(entry)
    except (OSError, ValueError):
        _remove(entry)
        return None
    return trace


def _keep(entry: Path, trace: Trace) -> None:
    aside = entry.with_name(f".{os.urandom(8).hex()}{_PART}")
    try:
        aside.mkdir(mode=0o700)
        write_columns(trace, aside)
        # Another process may have been faster; what it wrote is the same.
        aside.rename(entry)
    finally:
        if aside.is_dir():
            _remove(aside)


def _make_room(folder: Path) -> None:
    ours = (entry for entry in folder.iterdir() if _OURS.fullmatch(entry.name) and not entry.is_symlink())
    entries = sorted(((entry.stat().st_mtime, entry) for entry in ours), reverse=True)
    total = 0
    for used_s, entry in entries:
        if entry.suffix == _PART:
            is_over = used_s < time.time() - _ABANDONED_S
        else:
            total += sum(file.stat().st_size for file in entry.iterdir())
            is_over = total > MAX_CACHE_BYTES
        if is_over:
            _remove(entry)


def _remove(entry: Path) -> None:
    # Seldom needed: to import it, with all that it packs files with, takes 3 ms.
    import shutil

    shutil.rmtree(entry, ignore_errors=True)


SCHEMA = 8
"""To be raised when the columns or the head change."""

_HEAD = "head.json"
_MOST_HEAD_BYTES = 512 * 1024 * 1024
"""The most bytes of a head, which are names above all; a trace with more is read again each time."""

_RECORDS = (Slices, SparseColumn, SparseFloats, MemoryEvents, *ARGUMENT_TABLES.values())
_BY_NAME = {record.__name__: record for record in _RECORDS}
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
    """The arrays by path of fields from `Trace` on, such as `slices.lane` or `kernels.grid.rows`."""
    missing: dict[str, int]
    """The missing values of the sparse columns."""
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
        missing={name: column.missing for name, column in _columns_of(trace)},
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
    content = content_within(folder / _HEAD, _MOST_HEAD_BYTES)
    json = content[8:]
    if content[:8] != b"%08x" % zlib.crc32(json):
        raise ValueError(f"{folder} has a damaged head")
    try:
        head = msgspec.json.decode(json, type=_Head)
    except msgspec.MsgspecError as error:
        raise ValueError(f"{folder} has another head") from error
    tables = {
        field.name: _record(folder, field.name, record, head)
        for field in fields(Trace)
        if (record := _record_of(field)) and any(name.startswith(f"{field.name}.") for name in head.arrays)
    }
    return Trace(path=path, **tables, **{name: getattr(head, name) for name in _PLAIN})


def _arrays_of(record: Any, prefix: str = "") -> dict[str, npt.NDArray[Any]]:
    found = {}
    for field in fields(record):
        value, name = getattr(record, field.name), f"{prefix}{field.name}"
        if isinstance(value, np.ndarray):
            found[name] = value
        elif isinstance(value, _RECORDS):
            found |= _arrays_of(value, f"{name}.")
    return found


def _columns_of(record: Any, prefix: str = "") -> Iterator[tuple[str, SparseColumn]]:
    for field in fields(record):
        value, name = getattr(record, field.name), f"{prefix}{field.name}"
        if isinstance(value, SparseColumn):
            yield name, value
        elif isinstance(value, _RECORDS):
            yield from _columns_of(value, f"{name}.")


def _record_of(field: Field[Any]) -> type[Any] | None:
    """What a field holds, if that is made of arrays; it may be None where nobody asked for it."""
    return _BY_NAME.get(str(field.type).removesuffix(" | None"))


def _record(folder: Path, name: str, record: type[Any], head: _Head) -> Any:
    members: dict[str, Any] = {}
    for field in fields(record):
        path, inner = f"{name}.{field.name}", _record_of(field)
        if inner is not None:
            members[field.name] = _record(folder, path, inner, head)
        elif path in head.arrays:
            members[field.name] = _mapped(folder / path, head.arrays[path])
    return record(**members, missing=head.missing[name]) if record is SparseColumn else record(**members)


def _mapped(path: Path, head: _ArrayHead) -> npt.NDArray[Any]:
    if head.dtype not in _TYPES:
        raise ValueError(f"{path} has no type of a column")
    with open_regular(path) as file:
        # What is empty can't be mapped.
        held = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if head.length else b""
    array = np.frombuffer(held, np.dtype(head.dtype))
    if len(array) != head.length or _total(array) != head.total:
        raise ValueError(f"{path} is not as it was written")
    return array


def _total(array: npt.NDArray[Any]) -> int:
    bits = array.view(f"u{array.itemsize}")
    return int(np.add.reduce(bits, dtype=np.uint64))
