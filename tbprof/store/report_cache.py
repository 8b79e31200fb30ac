"""Reports of traces made without the hook, kept in the user's cache folder.

The key is what the file is, not what it is called: device, inode, size, times of the last changes and digest
of both ends, with the versions of the format and of the analysis. A folder that is not the user's own, or
that others may write to, is not used.

The report of a file or of a window, from wherever it is at hand: stored, cached, or read now.

Each way imports what it needs: what decodes stored reports is nothing to who reads a trace.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path

from tbprof.errors import ReportError, ReportTooLarge
from tbprof.file_names import REPORT_SUFFIX
from tbprof.folders import private_cache_folder
from tbprof.model import Report, Window
from tbprof.safe_open import content_within, identity_of
from tbprof.store.codec import MAX_REPORT_BYTES, SCHEMA, decode_report, encode_report
from tbprof.store.files import write_whole
from tbprof.trace.importers.graph_files import state_of_graph_files
from tbprof.version import __version__

MAX_CACHE_BYTES = 256 * 1024 * 1024
"""Beyond it the reports that were not used for longest go."""

WALK_EVERY = 64
"""Reports kept for one walk through the folder: a folder that grows to thousands is not walked for each."""


_OURS = re.compile(r"[0-9a-f]{32}\.pb")
"""Names of what is kept: nothing else is removed, whoever put it there."""


def cached_report(trace_path: str, *, is_one_of_many: bool = False) -> Report | None:
    """The report of this very file, or None; a damaged one counts as none. Of one of many a part."""
    folder = private_cache_folder("reports")
    if folder is None:
        return None
    try:
        kept = folder / _key(trace_path)
        content = content_within(kept, MAX_REPORT_BYTES)
        report = decode_report(content, name=kept.name, is_one_of_many=is_one_of_many)
        os.utime(kept)
    except (OSError, ReportError):
        return None
    return _at(report, trace_path)


def _at(report: Report, trace_path: str) -> Report:
    """The report under this name of its file, which tells the worker of a trace that the hook did not
    record.
    """
    worker, name = report.trace.worker, Path(trace_path).name
    if report.facts is None and Path(report.trace.path).name != name:
        # Seldom needed, and it knows the endings of all formats.
        from tbprof.window_names import parse_window_name

        worker = parse_window_name(name).worker
    return dataclasses.replace(
        report, trace=dataclasses.replace(report.trace, path=trace_path, worker=worker)
    )


def has_cached_report(trace_path: str) -> bool:
    """Whether there is one of this very file; it may still turn out to be damaged."""
    folder = private_cache_folder("reports")
    try:
        return folder is not None and (folder / _key(trace_path)).is_file()
    except OSError:
        return False


def report_key(trace_path: str) -> str:
    """What a trace is before it is read, for `keep_report`; "" where it can't be opened."""
    try:
        return _key(trace_path)
    except OSError:
        return ""


def keep_report(trace_path: str, report: Report, read_as: str) -> None:
    """Keep a report for the next time; what can't be kept is simply made again.

    Args:
        trace_path: The trace.
        report: What was made of it.
        read_as: Its key before it was read. A file that was replaced, or grew, meanwhile is another by now.
    """
    folder = private_cache_folder("reports")
    if folder is None or not read_as or report_key(trace_path) != read_as:
        return
    with contextlib.suppress(OSError, ReportTooLarge):
        # A cache has room for what a published report must leave out.
        data = encode_report(report, written_by=__version__, max_bytes=MAX_REPORT_BYTES)
        write_whole(folder / read_as, data)
        # Names are digests: of many, one in so many has its turn, whichever processes keep them.
        if int(read_as[:8], 16) % WALK_EVERY == 0:
            _make_room(folder)


def _key(trace_path: str) -> str:
    parts = (*identity_of(trace_path), *state_of_graph_files(trace_path), SCHEMA, __version__)
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32] + ".pb"


def _make_room(folder: Path) -> None:
    kept = [(path.lstat(), path) for path in folder.iterdir() if _OURS.fullmatch(path.name)]
    total = sum(status.st_size for status, _ in kept)
    for status, path in sorted(kept, key=lambda entry: entry[0].st_mtime_ns):
        if total <= MAX_CACHE_BYTES:
            return
        path.unlink(missing_ok=True)
        total -= status.st_size


Progress = Callable[[int, int], None]
"""Called with the bytes read so far and the size of the file on disk."""


def report_of_file(path: Path, *, use_cache: bool, progress: Progress | None = None) -> Report:
    """The stored report, the cached one, or that of the trace.

    Raises:
        TbprofError: The file gives nothing.
    """
    if path.name.endswith(REPORT_SUFFIX):
        from tbprof.store.windows import read_report

        return read_report(str(path))
    if not use_cache:
        return _report_of_trace(path, use_cache=False, progress=progress)

    kept = cached_report(str(path))
    if kept is None:
        key = report_key(str(path))
        kept = _report_of_trace(path, use_cache=True, progress=progress)
        keep_report(str(path), kept, key)
    return kept


def _report_of_trace(path: Path, *, use_cache: bool, progress: Progress | None) -> Report:
    # A report that is at hand needs no analysis: to import it takes longer than to print one.
    from tbprof.report import build_report

    return build_report(path, progress=progress, use_cache=use_cache)


def has_report(window: Window) -> bool:
    """Whether a report of the window is at hand, so that its trace need not be read."""
    if window.report_path is not None:
        return True
    return window.trace_path is not None and has_cached_report(window.trace_path)


def report_of_window(window: Window, *, use_cache: bool, progress: Progress | None = None) -> Report:
    """The report that lies beside the trace, else that of the trace.

    Raises:
        TbprofError: The window gives nothing.
    """
    from tbprof.store.windows import stored_report, with_doubt

    kept = stored_report(window) if use_cache or window.trace_path is None else None
    if kept is not None:
        return kept
    assert window.trace_path is not None, "a window has a report or a trace"
    report = report_of_file(Path(window.trace_path), use_cache=use_cache, progress=progress)
    # A Path leaves out `./`, which windows that are read elsewhere keep.
    named = dataclasses.replace(report.trace, path=window.trace_path)
    return with_doubt(window, dataclasses.replace(report, trace=named))


def window_of_report(report: Report) -> Window:
    """The place of a report that is shown alone."""
    name = Path(report.trace.path).name
    return Window("", report.trace.worker, name, 0, report.trace.path, report.trace.path, 0)
