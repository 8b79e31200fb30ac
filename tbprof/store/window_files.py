"""The files of one stem that are a window together: a trace, its report, and copies of it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from tbprof.file_names import RAW_SUFFIX, REPORT_SUFFIX
from tbprof.model import Window
from tbprof.remote.placeholders import is_mirrored
from tbprof.safe_open import open_regular

_PACKED = ".gz"

_GZIP_SIZE_BYTES = 4
"""With which a gzip file ends: how many bytes it unpacks to, modulo 2^32 (RFC 1952, 2.3.1)."""


def windows_of(stem: str, files: Sequence[Window]) -> Sequence[Window]:
    """One of each trace; the one that is named as published ones are has the report."""
    if len(files) == 1:
        return files
    traces = _first([file for file in files if file.trace_path is not None], stem + RAW_SUFFIX)
    reports = _first([file for file in files if file.trace_path is None], stem + REPORT_SUFFIX)
    if not traces or not reports:
        return traces or reports
    trace = traces[0]
    # `dataclasses.replace` takes five times as long.
    both = Window(
        trace.run,
        trace.worker,
        trace.window,
        trace.order_ns,
        trace.trace_path,
        reports[0].report_path,
        trace.size_bytes,
    )
    return [both, *traces[1:], *reports[1:]]


def packed_copies(files: Sequence[Window]) -> list[str]:
    """What `gzip --keep` left beside a trace among `files`: the same window would count twice."""
    sizes = {file.trace_path: file.size_bytes for file in files if file.trace_path is not None}
    return [path for path in sizes if _is_packed_copy(path, sizes)]


def _is_packed_copy(path: str, sizes: Mapping[str, int]) -> bool:
    """Whether a file is the gzip of one of these, by its name and by the size that it says it unpacks to."""
    size_bytes = sizes.get(path.removesuffix(_PACKED)) if path.endswith(_PACKED) else None
    if size_bytes is None or is_mirrored(path):
        return False
    try:
        with open_regular(path) as file:
            file.seek(-_GZIP_SIZE_BYTES, os.SEEK_END)
            said = int.from_bytes(file.read(_GZIP_SIZE_BYTES), "little")
    except OSError:
        return False
    return said == size_bytes % (1 << 8 * _GZIP_SIZE_BYTES)


def _first(files: Sequence[Window], name: str) -> Sequence[Window]:
    """The same with the file of this name first."""
    if len(files) < 2:
        return files
    return sorted(files, key=lambda file: (file.window != name, file.window))
