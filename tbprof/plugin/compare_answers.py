"""The answer to "what is different between these two windows"."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tbprof.errors import ReportTooNew, TbprofError, UsageError
from tbprof.model import Window
from tbprof.plugin.analyses import Analyses
from tbprof.plugin.log_directory import LogDirectory
from tbprof.plugin.reports import report_of_window
from tbprof.texts.english import English
from tbprof.texts.problems import problem_of
from tbprof.views.answer import Problem
from tbprof.views.compare import CompareAnswer, compare_view

__all__ = ["CompareAnswers"]


class CompareAnswers:
    def __init__(self, logs: LogDirectory, analyses: Analyses) -> None:
        self._logs = logs
        self._analyses = analyses

    def answer(self, parameters: Mapping[str, str]) -> CompareAnswer:
        """`run`, `worker` and `window` name the one after, with `before_` in front the one before.

        Raises:
            UsageError: There is no such window.
        """
        reports = []
        for prefix in ("before_", ""):
            window = self._window(parameters, prefix)
            try:
                reports.append(report_of_window(window, self._analyses))
            except TbprofError as error:
                return CompareAnswer("broken", None, _problem(window, error))
        before, after = reports
        if before is None or after is None:
            return CompareAnswer("reading", None, None)
        return CompareAnswer("ready", compare_view(before, after, English()), None)

    def _window(self, parameters: Mapping[str, str], prefix: str) -> Window:
        names = [parameters.get(prefix + name, "") for name in ("run", "worker", "window")]
        window = self._logs.window(*names)
        if window is None:
            raise UsageError("there is no such window in the log directory: it may have been deleted")
        return window


def _problem(window: Window, error: TbprofError) -> Problem:
    path = window.trace_path or window.report_path or ""
    title, what_to_do = problem_of(Path(path).name, is_too_new=isinstance(error, ReportTooNew))
    return Problem(title, str(error), what_to_do, path)
