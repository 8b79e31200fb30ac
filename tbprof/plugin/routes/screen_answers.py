"""The answer to any screen of one window, or of two: what it shows, how far it is, or what is wrong."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from tbprof.errors import Busy, Gone, NotComparable, TbprofError, TraceError, UsageError
from tbprof.model import Window
from tbprof.plugin.routes.log_directory import LogDirectory, requested_window
from tbprof.plugin.worker.kept import Answer
from tbprof.plugin.worker.pool import Reading
from tbprof.plugin.worker.reports import Reports, key_of
from tbprof.plugin.worker.traces import Traces
from tbprof.texts.comparison import not_comparable
from tbprof.views.answer import Problem, Progress, in_log_directory, problem_with
from tbprof.views.screens import OfReport, OfTwoReports, OfTwoTables, Screen

_PATIENCE_S = 30.0
"""For what is asked of a timeline that is open: it comes at once, unless the trace has to be read again."""

_Parameters: TypeAlias = Mapping[str, str]


class ScreenAnswers:
    """The parameters `run`, `worker` and `window` name the window, with `before_` in front the earlier one.

    An answer raises `Gone` where there is no such window, `UsageError` where a parameter is none, and `Busy`
    where too much is asked at once.
    """

    def __init__(self, logs: LogDirectory, reports: Reports, traces: Traces) -> None:
        self._logs = logs
        self._reports = reports
        self._traces = traces

    def of(self, screen: Screen) -> Callable[[_Parameters], Any]:
        """A function from a request's parameters to the answer of a screen."""
        if isinstance(screen.reads, OfReport | OfTwoReports):
            return partial(self._report if screen.shows else self._whole_report, screen)
        return partial(self._trace if screen.shows else self._whole_trace, screen)

    def _windows(self, screen: Screen, parameters: _Parameters) -> list[Window]:
        """The one that is asked for, after the earlier one where there are two."""
        is_of_two = isinstance(screen.reads, OfTwoReports | OfTwoTables)
        earlier = [requested_window(self._logs, parameters, "before_")] if is_of_two else []
        return [*earlier, requested_window(self._logs, parameters)]

    def _report(self, screen: Screen, parameters: _Parameters) -> object:
        """The answer from stored reports at once; from traces without one once they are read."""
        windows = self._windows(screen, parameters)
        try:
            found = self._reports.view(screen.name, windows, screen.taken(parameters))
        except (Busy, Gone) as error:
            if screen.tells_progress:
                raise
            # It is asked again, and has room in the queue then.
            is_busy = isinstance(error, Busy)
            return screen.filled("reading") if is_busy else _broken(screen, windows, error)
        except TbprofError as error:
            return _broken(screen, windows, error)
        return screen.filled("reading", progress=_progress(found)) if isinstance(found, Reading) else found

    def _whole_report(self, screen: Screen, parameters: _Parameters) -> Answer:
        """What is asked of a window that has been read."""
        [window] = self._windows(screen, parameters)
        try:
            found = self._reports.view(screen.name, [window], screen.taken(parameters))
        except (Busy, Gone):
            raise
        except TbprofError as error:
            raise UsageError(in_log_directory(window, str(error))) from error
        if isinstance(found, Reading):
            raise Busy("the window is still being read: ask again in a moment")
        return found

    def _trace(self, screen: Screen, parameters: _Parameters) -> Answer | bytes:
        windows = self._windows(screen, parameters)
        paths = [window.trace_path for window in windows if window.trace_path is not None]
        if len(paths) < len(windows):
            return _packed(screen, "gone")
        asked = screen.taken(parameters)
        if len(paths) > 1:
            asked["before"] = paths[0]
        key = key_of(screen.name, windows, asked)
        try:
            found = self._traces.ask(paths[-1], key, packed=partial(_ready, screen))
        except NotComparable as error:
            return _packed(screen, "broken", problem=Problem(*not_comparable(str(error)), path=""))
        except TraceError as error:
            return _packed(screen, "broken", problem=problem_with(windows[-1], error))
        if isinstance(found, Answer):
            return found
        return _packed(screen, "reading", progress=dataclasses.replace(_progress(found), ahead=0))

    def _whole_trace(self, screen: Screen, parameters: _Parameters) -> Answer:
        """What is asked of a trace that is open."""
        [window] = self._windows(screen, parameters)
        if window.trace_path is None:
            raise Gone("the trace of this window is gone, and with it its timeline")
        key = key_of(screen.name, [window], screen.taken(parameters))
        try:
            found = self._traces.ask(window.trace_path, key, patience_s=_PATIENCE_S)
        except TraceError as error:
            raise TraceError(in_log_directory(window, str(error))) from error
        if isinstance(found, Reading):
            raise Busy("the trace is still being read: ask again in a moment")
        return found


def _progress(reading: Reading) -> Progress:
    elapsed_s = time.monotonic() - reading.since
    return Progress(reading.read_bytes, reading.total_bytes, elapsed_s, reading.ahead)


def _broken(screen: Screen, windows: Sequence[Window], error: TbprofError) -> Any:
    """It names the file that gives nothing: the earlier one where that is it, else the last."""
    window = next((one for one in windows if _names_file_of(one, error)), windows[-1])
    return screen.filled("broken", problem=problem_with(window, error))


def _names_file_of(window: Window, error: TbprofError) -> bool:
    return any(path is not None and path in str(error) for path in (window.trace_path, window.report_path))


def _ready(screen: Screen, view: bytes) -> bytes:
    return _packed(screen, "ready", view=view)


def _packed(
    screen: Screen,
    state: str,
    *,
    progress: Progress | None = None,
    problem: Problem | None = None,
    view: bytes = b"null",
) -> bytes:
    """An answer whose view comes as JSON already: it is large, and stays packed."""
    answer = screen.filled(state, progress=progress, problem=problem)
    parts = {name: json.dumps(value).encode() for name, value in dataclasses.asdict(answer).items()}
    parts[screen.shows] = view
    return b"{" + b", ".join(b'"%s": %s' % (name.encode(), part) for name, part in parts.items()) + b"}"
