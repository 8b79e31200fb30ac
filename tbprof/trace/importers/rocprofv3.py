"""Recordings of rocprofv3, as `--output-format json` writes them."""

from __future__ import annotations

import os
import re
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
"""None of its own: the file ends in `.json`."""
CLAIMS: tuple[str, ...] = ()
LACKS = "rocprofv3 records no operators, shapes, Python lines, awaited streams or allocations of PyTorch"

_HEAD = re.compile(rb'\s*\{\s*"rocprofiler-sdk-tool"\s*:')


def sniff(head: bytes) -> bool:
    """See `Importer.sniff`."""
    return _HEAD.match(head) is not None


def convert(path: str | os.PathLike[str], folder: Path) -> Sequence[Converted]:
    """See `Converter.convert`."""
    from tbprof.trace.importers.rocprof_conversion import convert_rocprof

    return convert_rocprof(Path(path), folder)


def read(
    path: str | os.PathLike[str], *, tables: Tables, progress: Progress | None, in_parallel: bool
) -> Trace:
    """See `Importer.read`."""
    from tbprof.trace.importers.converter import read_converted

    return read_converted(
        sys.modules[__name__], path, tables=tables, progress=progress, in_parallel=in_parallel
    )
