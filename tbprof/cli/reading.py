"""The reports of a file or of a folder, from wherever they are at hand."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from tbprof.cli.plain_text import plain
from tbprof.errors import TbprofError, UsageError
from tbprof.file_names import REPORT_SUFFIX
from tbprof.model import Report, Window
from tbprof.report import build_report, looks_like_trace
from tbprof.store.cache import cached_report, keep_report
from tbprof.store.discovery import Discovery
from tbprof.store.windows import read_report, stored_report
from tbprof.texts.english import English

__all__ = ["is_folder", "report_of_file", "reports_of_folder"]

_PROGRESS_FROM_BYTES = 50 * 1000 * 1000
_PROGRESS_EVERY_S = 0.5


def is_folder(path: Path) -> bool:
    """Whether the path names a folder; one that can't be asked about is read as a file."""
    try:
        return path.is_dir()
    except OSError:
        # Too long a name, or a folder that may not be entered: reading it as a file says which.
        return False


def report_of_file(path: Path, *, use_cache: bool) -> Report:
    """The stored report, the cached one, or that of the trace.

    Raises:
        TbprofError: The file gives nothing.
    """
    if path.name.endswith(REPORT_SUFFIX):
        return read_report(str(path))
    kept = cached_report(str(path)) if use_cache else None
    if kept is not None:
        return kept
    report = build_report(path, progress=_progress(path), use_cache=use_cache)
    if use_cache:
        keep_report(str(path), report)
    return report


def reports_of_folder(folder: Path, *, use_cache: bool) -> tuple[Report, ...]:
    """All windows that can be read; each that can't, or is left out, costs one line on stderr.

    Raises:
        UsageError: There is none.
    """
    listing = Discovery(folder, looks_like_trace).find()
    for file in listing.skipped:
        sys.stderr.write(f"tbprof: {plain(file.path)}: {English().skipped(file.reason)}\n")
    reports = []
    for window in listing.windows:
        try:
            reports.append(_report_of_window(window, use_cache=use_cache))
        except TbprofError as error:
            sys.stderr.write(f"tbprof: {plain(str(error))}\n")
    if not reports:
        raise UsageError(f"there is no trace or report to read in {folder}: name another folder")
    return tuple(reports)


def _report_of_window(window: Window, *, use_cache: bool) -> Report:
    kept = stored_report(window) if use_cache or window.trace_path is None else None
    if kept is not None:
        return kept
    assert window.trace_path is not None, "a window has a report or a trace"
    return report_of_file(Path(window.trace_path), use_cache=use_cache)


def _progress(path: Path) -> Callable[[int, int], None] | None:
    """A line on a terminal that is written over, for a large file only."""
    if not sys.stderr.isatty():
        return None
    shown_at = time.monotonic()

    def show(read_bytes: int, total_bytes: int) -> None:
        nonlocal shown_at
        if total_bytes < _PROGRESS_FROM_BYTES:
            return
        done = read_bytes >= total_bytes
        if done or time.monotonic() - shown_at > _PROGRESS_EVERY_S:
            shown_at = time.monotonic()
            line = f"reading {path.name}: {read_bytes / max(total_bytes, 1):.0%}"
            sys.stderr.write("\r" + (" " * len(line) + "\r" if done else line))

    return show
