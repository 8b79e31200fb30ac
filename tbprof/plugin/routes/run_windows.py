"""The windows of a run, worker by worker, as a request names them."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.errors import Gone, UsageError
from tbprof.model import Window
from tbprof.plugin.routes.log_directory import LogDirectory


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
        raise no_such_run()
    return found


def no_such_run() -> Gone:
    return Gone("there is no such run in the log directory: it may have been deleted")


def number_of(parameters: Mapping[str, str]) -> int:
    """Which window of every worker is asked for, 1 if nothing is said.

    Raises:
        UsageError: It is no number.
    """
    text = parameters.get("number", "1")
    if not text.isdecimal() or not text.isascii() or len(text) > 9 or int(text) == 0:
        raise UsageError("the number of a window counts from 1 on")
    return int(text)
