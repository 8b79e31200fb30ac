"""The window that a request names, and what to say where it gives nothing."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.errors import Busy, Gone, TbprofError, UsageError
from tbprof.model import Window
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.worker.kept import Answer
from tbprof.plugin.worker.pool import Reading
from tbprof.plugin.worker.reports import Reports
from tbprof.views.answer import in_log_directory


def requested_window(logs: LogDirectory, parameters: Mapping[str, str], prefix: str = "") -> Window:
    """Look a window up by the parameters `run`, `worker` and `window`, each behind `prefix`.

    Raises:
        Gone: There is no such window.
    """
    names = [parameters.get(prefix + name, "") for name in ("run", "worker", "window")]
    window = logs.window(*names)
    if window is None:
        raise Gone("there is no such window in the log directory: it may have been deleted")
    return window


def at_hand(reports: Reports, ask: str, window: Window, parameters: Mapping[str, str]) -> Answer:
    """What is asked of the window, which has been read.

    Raises:
        TbprofError: It gives nothing, or is still being read.
    """
    try:
        found = reports.view(ask, [window], parameters)
    except (Busy, Gone):
        raise
    except TbprofError as error:
        raise UsageError(in_log_directory(window, str(error))) from error
    if isinstance(found, Reading):
        raise Busy("the window is still being read: ask again in a moment")
    return found


def names_file_of(window: Window, error: TbprofError) -> bool:
    return any(path is not None and path in str(error) for path in (window.trace_path, window.report_path))
