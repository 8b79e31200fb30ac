"""Any trace, by whichever importer knows its file."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

from tbprof.trace.columns.columns import Trace
from tbprof.trace.columns.tables import NO_TABLES, Tables
from tbprof.trace.importers.importer import Importer, Progress
from tbprof.trace.importers.importer_list import IMPORTERS

__all__ = ["TRACE_SUFFIXES", "claims_to_be_trace", "looks_like_trace", "read_trace"]

TRACE_SUFFIXES = tuple(suffix for importer in IMPORTERS for suffix in importer.SUFFIXES)
"""What a file must end in to be looked at as a trace beneath a log directory."""

_HEAD_BYTES = 64 * 1024
_GZIP_MAGIC = b"\x1f\x8b"


def read_trace(
    path: str | os.PathLike[str],
    *,
    tables: Tables = NO_TABLES,
    progress: Progress | None = None,
    in_parallel: bool = False,
) -> Trace:
    """Read a trace of any format, told by its first bytes.

    Args:
        path: The file, plain or gzip, whatever its name.
        tables: Which of the optional tables are wanted; the others are None.
        progress: Called with the bytes read so far and the size of the file on disk.
        in_parallel: Whether other processes may help where that is faster.

    Raises:
        TraceError: The file gives nothing; the message says why and what to do.
    """
    importer = _importer_of(path) or IMPORTERS[0]
    return importer.read(path, tables=tables, progress=progress, in_parallel=in_parallel)


def looks_like_trace(path: str | os.PathLike[str]) -> bool:
    """Whether the file at `path` begins as a trace does, plain or gzip by its content.

    Reads at most 64 KB and unpacks at most 64 KB. False for what can't be read.
    """
    return _importer_of(path) is not None


def claims_to_be_trace(name: str) -> bool:
    """Whether a file's name says that it is a trace, whatever it holds."""
    return any(claim in name for importer in IMPORTERS for claim in importer.CLAIMS)


def _importer_of(path: str | os.PathLike[str]) -> Importer | None:
    try:
        if not Path(path).is_file():
            return None
        with Path(path).open("rb", buffering=0) as file:
            head = _unpacked(file.read(_HEAD_BYTES))
    except (OSError, ValueError, zlib.error):
        return None
    return next((importer for importer in IMPORTERS if importer.sniff(head)), None)


def _unpacked(head: bytes) -> bytes:
    if not head.startswith(_GZIP_MAGIC):
        return head
    return zlib.decompressobj(wbits=31).decompress(head, _HEAD_BYTES)
