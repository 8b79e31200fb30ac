"""The answer to "show me this window": its view, how far it is, or what is wrong with it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from tbprof.errors import ReportTooNew, TbprofError, UsageError
from tbprof.model import Report, Window
from tbprof.plugin.analyses import Analyses, Failed, Reading
from tbprof.plugin.log_directory import LogDirectory
from tbprof.store.windows import stored_report
from tbprof.texts.english import English
from tbprof.texts.problems import problem_of
from tbprof.views.answer import Problem, Progress, WindowAnswer
from tbprof.views.window_building import window_view

__all__ = ["WindowAnswers"]


class WindowAnswers:
    """Stored reports at once; traces without one through `analyses`."""

    def __init__(self, logs: LogDirectory, analyses: Analyses) -> None:
        self._logs = logs
        self._analyses = analyses

    def answer(self, parameters: Mapping[str, str]) -> WindowAnswer:
        """Look the window up by the parameters `run`, `worker` and `window`.

        Raises:
            UsageError: There is no such window.
        """
        names = [parameters.get(name, "") for name in ("run", "worker", "window")]
        window = self._logs.window(*names)
        if window is None:
            raise UsageError("there is no such window in the log directory: it may have been deleted")
        try:
            report = stored_report(window)
        except TbprofError as error:
            return _broken(window, str(error), is_too_new=isinstance(error, ReportTooNew))
        return self._analysed(window) if report is None else _ready(window, report)

    def _analysed(self, window: Window) -> WindowAnswer:
        assert window.trace_path is not None, "a window without a report has a trace"
        state, ahead = self._analyses.ask(window.trace_path)
        if isinstance(state, Reading):
            elapsed = time.monotonic() - state.since
            progress = Progress(state.read_bytes, state.total_bytes, elapsed, ahead)
            return WindowAnswer("reading", None, progress, None)
        if isinstance(state, Failed):
            return _broken(window, state.sentence, is_too_new=False)
        return _ready(window, state)


def _ready(window: Window, report: Report) -> WindowAnswer:
    view = window_view(
        report, run=window.run, worker=window.worker, window=window.window, sentences=English()
    )
    return WindowAnswer("ready", view, None, None)


def _broken(window: Window, sentence: str, *, is_too_new: bool) -> WindowAnswer:
    path = window.trace_path or window.report_path or ""
    title, what_to_do = problem_of(Path(path).name, is_too_new=is_too_new)
    return WindowAnswer("broken", None, None, Problem(title, sentence, what_to_do, path))
