"""The windows of a run, worker by worker, as a request names them."""

from __future__ import annotations

import os
from collections.abc import Mapping

from tbprof.errors import Gone, UsageError
from tbprof.model import Window
from tbprof.plugin.routes.log_directory import LogDirectory

__all__ = ["key_of_window", "number_of", "windows_by_worker"]


def windows_by_worker(logs: LogDirectory, run: str) -> dict[str, list[Window]]:
    """In the order of their time.

    Raises:
        Gone: There is no such run.
    """
    found: dict[str, list[Window]] = {}
    for window in logs.listing().windows:
        if window.run == run:
            found.setdefault(window.worker, []).append(window)
    if not found:
        raise Gone("there is no such run in the log directory: it may have been deleted")
    return found


def number_of(parameters: Mapping[str, str]) -> int:
    """Which window of every worker is asked for, 1 if nothing is said.

    Raises:
        UsageError: It is no number.
    """
    text = parameters.get("number", "1")
    if not text.isdecimal() or not text.isascii() or len(text) > 9 or int(text) == 0:
        raise UsageError("the number of a window counts from 1 on")
    return int(text)


def key_of_window(window: Window) -> tuple[str, int]:
    """Changes when the window's file does.

    Raises:
        Gone: It is not there any more.
    """
    path = window.report_path or window.trace_path or ""
    try:
        return path, os.stat(path).st_mtime_ns  # noqa: PTH116 - of thousands; a Path takes three times as long
    except OSError as error:
        raise Gone(f"{path} is gone or can't be read ({error.strerror})") from error
