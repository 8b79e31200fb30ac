"""The report of a file, from wherever it is at hand."""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tbprof.cli.input.piped import as_file
from tbprof.escaping import plain
from tbprof.model import Report
from tbprof.store.lookup import reports

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
            line = plain(f"reading {path.name}: {read_bytes / max(total_bytes, 1):.0%}")
            sys.stderr.write("\r" + (" " * len(line) + "\r" if done else line))

    return show
