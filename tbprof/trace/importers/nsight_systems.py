"""Recordings of Nsight Systems, as `nsys export --type sqlite` writes them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tbprof.trace.importers.importer import Progress

if TYPE_CHECKING:
    from tbprof.trace.columns.columns import Trace
    from tbprof.trace.columns.tables import Tables
    from tbprof.trace.importers.kineto_writer import Converted

SUFFIXES: tuple[str, ...] = ()
"""None: a log directory may hold other databases. One that is named outright is read."""
CLAIMS: tuple[str, ...] = ()
LACKS = (
    "Nsight Systems records no shapes, Python lines or allocations of PyTorch, and its operators only as "
    "ranges of emit_nvtx"
)

_MAGIC = b"SQLite format 3\0"


def sniff(head: bytes) -> bool:
    """See `Importer.sniff`."""
    return head.startswith(_MAGIC)


def convert(path: str | os.PathLike[str], folder: Path) -> Sequence[Converted]:
    """See `Converter.convert`."""
    from tbprof.trace.importers.nsight_conversion import convert_nsight

    return convert_nsight(Path(path), folder)


def read(
    path: str | os.PathLike[str], *, tables: Tables, progress: Progress | None, in_parallel: bool
) -> Trace:
    """See `Importer.read`."""
    from tbprof.trace.importers.converter import read_converted

    return read_converted(
        sys.modules[__name__], path, tables=tables, progress=progress, in_parallel=in_parallel
    )
