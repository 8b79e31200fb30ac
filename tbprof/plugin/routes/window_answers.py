"""The answer to "show me this window": its view, how far it is, or what is wrong with it."""

from __future__ import annotations

import time
from collections.abc import Mapping

from tbprof.errors import TbprofError, TraceError
from tbprof.model import Report, Window
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.requested_window import problem_with, requested_window
from tbprof.plugin.worker.analyses import Analyses, Failed, Reading
from tbprof.store.lookup.windows import stored_report
from tbprof.views.window.answer import Progress, WindowAnswer
from tbprof.views.window.building import window_view

__all__ = ["WindowAnswers"]


class WindowAnswers:
    """Stored reports at once; traces without one through `analyses`."""

    def __init__(self, logs: LogDirectory, analyses: Analyses) -> None:
        self._logs = logs
        self._analyses = analyses

    def answer(self, parameters: Mapping[str, str]) -> WindowAnswer:
        """Look the window up by the parameters `run`, `worker` and `window`.

        Raises:
            Gone: There is no such window.
        """
        window = requested_window(self._logs, parameters)
        try:
            report = stored_report(window)
        except TbprofError as error:
            return _broken(window, error)
        return self._analysed(window) if report is None else _ready(window, report)

    def _analysed(self, window: Window) -> WindowAnswer:
        assert window.trace_path is not None, "a window without a report has a trace"
        state, ahead = self._analyses.ask(window.trace_path)
        if isinstance(state, Reading):
            elapsed = time.monotonic() - state.since
            progress = Progress(state.read_bytes, state.total_bytes, elapsed, ahead)
            return WindowAnswer("reading", None, progress, None)
        if isinstance(state, Failed):
            return _broken(window, TraceError(state.sentence))
        return _ready(window, state)


def _ready(window: Window, report: Report) -> WindowAnswer:
    view = window_view(report, run=window.run, worker=window.worker, window=window.window)
    return WindowAnswer("ready", view, None, None)


def _broken(window: Window, error: TbprofError) -> WindowAnswer:
    return WindowAnswer("broken", None, None, problem_with(window, error))
