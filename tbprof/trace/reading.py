"""Any trace, by whichever importer knows its file."""

from __future__ import annotations

import os

from tbprof.trace.columns.columns import Trace
from tbprof.trace.columns.tables import NO_TABLES, Tables
from tbprof.trace.importers.importer import Progress
from tbprof.trace.importers.importer_list import IMPORTERS
from tbprof.trace.importers.sniffing import importer_of


def read_trace(
    path: str | os.PathLike[str],
    *,
    tables: Tables = NO_TABLES,
    progress: Progress | None = None,
    in_parallel: bool = False,
) -> Trace:
    """Read a trace of any format, which its first bytes show.

    Args:
        path: The file, plain or gzip, whatever its name.
        tables: Which of the optional tables are wanted; the others are None.
        progress: Called with the bytes read so far and the size of the file on disk.
        in_parallel: Whether other processes may help where that is faster.

    Raises:
        TraceError: The file gives nothing; the message says why and what to do.
    """
    importer = importer_of(path) or IMPORTERS[0]
    return importer.read(path, tables=tables, progress=progress, in_parallel=in_parallel)
