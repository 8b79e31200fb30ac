"""The report of a file or of a window, from wherever it is at hand: stored, cached, or read now."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tbprof.file_names import REPORT_SUFFIX
from tbprof.model import Report, Window
from tbprof.store.lookup.cache import cached_report, has_cached_report, keep_report
from tbprof.store.lookup.windows import read_report, stored_report, with_doubt

__all__ = ["Progress", "has_report", "report_of_file", "report_of_window"]

Progress = Callable[[int, int], None]
"""Called with the bytes read so far and the size of the file on disk."""


def report_of_file(path: Path, *, use_cache: bool, progress: Progress | None = None) -> Report:
    """The stored report, the cached one, or that of the trace.

    Raises:
        TbprofError: The file gives nothing.
    """
    if path.name.endswith(REPORT_SUFFIX):
        return read_report(str(path))
    kept = cached_report(str(path)) if use_cache else None
    if kept is not None:
        return kept
    # A report that is at hand needs no analysis: to import it takes longer than to print one.
    from tbprof.report import build_report

    report = build_report(path, progress=progress, use_cache=use_cache)
    if use_cache:
        keep_report(str(path), report)
    return report


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
    kept = stored_report(window) if use_cache or window.trace_path is None else None
    if kept is not None:
        return kept
    assert window.trace_path is not None, "a window has a report or a trace"
    report = report_of_file(Path(window.trace_path), use_cache=use_cache, progress=progress)
    return with_doubt(window, report)
