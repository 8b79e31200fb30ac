"""Files that torch's profiler writes, by Kineto, and what tbprof and other trainers make of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tbprof.trace.importers.importer import Progress

if TYPE_CHECKING:
    from tbprof.trace.columns.columns import Trace
    from tbprof.trace.columns.tables import Tables

SUFFIXES: tuple[str, ...] = (".json", ".json.gz", ".gz")
CLAIMS: tuple[str, ...] = (".trace.json",)


def sniff(head: bytes) -> bool:
    """See `Importer.sniff`."""
    # Whoever only lists files, or finds the report in a cache, needs none of the reader.
    from tbprof.trace.importers.kineto.sniff import sniff as begins_as_kineto_does

    return begins_as_kineto_does(head)


def read(
    path: str | os.PathLike[str], *, tables: Tables, progress: Progress | None, in_parallel: bool
) -> Trace:
    """See `Importer.read`."""
    if in_parallel:
        from tbprof.trace.importers.kineto.parallel_reader import read_trace_in_parallel

        return read_trace_in_parallel(path, tables=tables, progress=progress)
    from tbprof.trace.importers.kineto.reader import read_trace

    return read_trace(path, tables=tables, progress=progress)
