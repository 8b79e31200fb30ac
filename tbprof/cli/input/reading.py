"""The reports of a file or of a folder, from wherever they are at hand."""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from tbprof.cli.input.piped import as_file
from tbprof.cli.output.stderr_messages import tell
from tbprof.errors import TbprofError, UsageError
from tbprof.model import Report, Window
from tbprof.store.lookup import reports
from tbprof.store.lookup.windows import window_of_report
from tbprof.texts.findings.left_out import skipped_sentence

__all__ = [
    "is_folder",
    "progress_of",
    "report_of_file",
    "reports_of_folder",
    "windows_of_folder",
    "windows_of_paths",
]

_PROGRESS_FROM_BYTES = 50 * 1000 * 1000
_PROGRESS_EVERY_S = 0.5
_PROGRESS_FROM_S = 2.0
"""A list that is read faster needs no line that says how far it is."""

_T = TypeVar("_T")


def is_folder(path: Path) -> bool:
    """Whether the path names a folder; one that can't be asked about is read as a file."""
    try:
        return path.is_dir()
    except OSError:
        # Too long a name, or a folder that may not be entered: reading it as a file says which.
        return False


def report_of_file(path: Path, *, use_cache: bool) -> Report:
    """The report of a trace or of a stored report; reading a large one is shown on a terminal.

    Raises:
        TbprofError: The file gives nothing.
    """
    with as_file(path) as file:
        # What came through a pipe has a name that will never be asked for again.
        use_cache = use_cache and file == path
        report = reports.report_of_file(file, use_cache=use_cache, progress=progress_of(path))
    named = dataclasses.replace(report.trace, path=report.trace.path.replace(str(file), str(path)))
    return dataclasses.replace(report, trace=named)


def reports_of_folder(folder: Path, *, use_cache: bool) -> tuple[Report, ...]:
    """Those of all windows that can be read.

    Raises:
        UsageError: There is none.
    """
    return tuple(report for _, report in windows_of_folder(folder, use_cache=use_cache))


def windows_of_folder(folder: Path, *, use_cache: bool) -> tuple[tuple[Window, Report], ...]:
    """All windows that can be read; each that can't, or is left out, costs one line on stderr.

    Raises:
        UsageError: There is none.
    """
    # A file that is named needs nothing of what finds them.
    from tbprof.store.lookup.discovery import Discovery
    from tbprof.trace_files import looks_like_trace

    listing = Discovery(folder, looks_like_trace).find()
    for file in listing.skipped:
        tell(f"{file.path}: {skipped_sentence(file.reason)}")
    found = []
    for window in _told(listing.windows):
        progress = progress_of(Path(window.trace_path or window.window))
        try:
            report = reports.report_of_window(window, use_cache=use_cache, progress=progress)
        except TbprofError as error:
            tell(str(error))
        else:
            found.append((window, report))
    if not found:
        raise UsageError(f"there is no trace or report to read in {folder}: name another folder")
    return tuple(found)


def windows_of_paths(
    paths: Sequence[Path], *, use_cache: bool
) -> tuple[tuple[tuple[Window, Report], ...], bool]:
    """The windows of files and folders, and whether some of several paths gave none.

    Where there are several paths, a window's run begins with the one that it comes from.

    Raises:
        TbprofError: No path gave any.
    """
    found: list[tuple[Window, Report]] = []
    failed = 0
    for path in paths:
        try:
            windows = _windows_of(path, use_cache=use_cache)
        except TbprofError as error:
            failed += 1
            if failed == len(paths):
                raise
            tell(str(error))
        else:
            found += windows if len(paths) == 1 else [(_within(path, window), one) for window, one in windows]
    return tuple(found), failed > 0


def _windows_of(path: Path, *, use_cache: bool) -> tuple[tuple[Window, Report], ...]:
    if is_folder(path):
        return windows_of_folder(path, use_cache=use_cache)
    report = report_of_file(path, use_cache=use_cache)
    return ((window_of_report(report), report),)


def _within(path: Path, window: Window) -> Window:
    return dataclasses.replace(window, run=(path / window.run).as_posix())


def _told(windows: Sequence[_T]) -> Iterator[_T]:
    """One after the other; where that lasts, a line on a terminal says how many are done."""
    began_s, shown = time.monotonic(), ""
    for done, window in enumerate(windows):
        if sys.stderr.isatty() and time.monotonic() - began_s > _PROGRESS_FROM_S:
            shown = f"reading windows: {done:,} of {len(windows):,}"
            sys.stderr.write(f"\r{shown}")
            sys.stderr.flush()
        yield window
    if shown:
        sys.stderr.write("\r" + " " * len(shown) + "\r")


def progress_of(path: Path) -> Callable[[int, int], None] | None:
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
