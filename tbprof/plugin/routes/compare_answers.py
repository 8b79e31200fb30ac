"""The answer to "what is different between these two windows"."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.errors import TbprofError
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.reports import report_of_window
from tbprof.plugin.routes.requested_window import problem_with, requested_window
from tbprof.plugin.worker.analyses import Analyses
from tbprof.views.compare.comparison import CompareAnswer, compare_view

__all__ = ["CompareAnswers"]


class CompareAnswers:
    def __init__(self, logs: LogDirectory, analyses: Analyses) -> None:
        self._logs = logs
        self._analyses = analyses

    def answer(self, parameters: Mapping[str, str]) -> CompareAnswer:
        """`run`, `worker` and `window` name the one after, with `before_` in front the one before.

        Raises:
            Gone: There is no such window.
        """
        reports = []
        for prefix in ("before_", ""):
            window = requested_window(self._logs, parameters, prefix)
            try:
                reports.append(report_of_window(window, self._analyses))
            except TbprofError as error:
                return CompareAnswer("broken", None, problem_with(window, error))
        before, after = reports
        if before is None or after is None:
            return CompareAnswer("reading", None, None)
        return CompareAnswer("ready", compare_view(before, after), None)
