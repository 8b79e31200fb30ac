"""The report of a file or of a window, from wherever it is at hand: stored, cached, or read now.

Each way imports what it needs: what decodes stored reports is nothing to who reads a trace.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

from tbprof.file_names import REPORT_SUFFIX
from tbprof.model import Report, Window

Progress = Callable[[int, int], None]
"""Called with the bytes read so far and the size of the file on disk."""


def report_of_file(path: Path, *, use_cache: bool, progress: Progress | None = None) -> Report:
    """The stored report, the cached one, or that of the trace.

    Raises:
        TbprofError: The file gives nothing.
    """
    if path.name.endswith(REPORT_SUFFIX):
        from tbprof.store.lookup.windows import read_report

        return read_report(str(path))
    if not use_cache:
        return _report_of_trace(path, use_cache=False, progress=progress)
    from tbprof.store.lookup.cache import cached_report, keep_report, report_key

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
    from tbprof.store.lookup.cache import has_cached_report

    if window.report_path is not None:
        return True
    return window.trace_path is not None and has_cached_report(window.trace_path)


def report_of_window(window: Window, *, use_cache: bool, progress: Progress | None = None) -> Report:
    """The report that lies beside the trace, else that of the trace.

    Raises:
        TbprofError: The window gives nothing.
    """
    from tbprof.store.lookup.windows import stored_report, with_doubt

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
