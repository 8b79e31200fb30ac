"""Columns of large traces, kept in the user's cache folder.

The key is what the file is, not what it is called: device, inode, size and times of the last
changes, and the versions of the columns and of tbprof. An entry has all tables: the next
question is mostly about another one, and to read them as well takes a tenth longer at most.
A folder that is not the user's own, or that others may write to, is not used.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Callable
from pathlib import Path

from tbprof.digests import sha256_hex
from tbprof.folders import private_cache_folder
from tbprof.safe_open import identity_of, status_of_regular
from tbprof.trace.columns.columns import Trace
from tbprof.trace.columns.tables import ALL_TABLES, NO_TABLES, Tables
from tbprof.trace.importers.files.source import shown_path
from tbprof.trace.importers.reading import read_trace
from tbprof.trace.stored.stored_columns import SCHEMA, load_columns, write_columns
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
    parts = (*file, SCHEMA, __version__)
    return sha256_hex(repr(parts).encode())[:32]


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
