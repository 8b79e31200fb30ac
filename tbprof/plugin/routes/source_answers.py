"""The answer to "show me the code of this window"."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.errors import TbprofError
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.reports import report_of_window
from tbprof.plugin.routes.requested_window import problem_with, requested_window
from tbprof.plugin.worker.analyses import Analyses
from tbprof.views.source.building import source_files_view
from tbprof.views.source.source import SourceAnswer

__all__ = ["SourceAnswers"]


class SourceAnswers:
    """What a report holds; no file of the program is opened."""

    def __init__(self, logs: LogDirectory, analyses: Analyses) -> None:
        self._logs = logs
        self._analyses = analyses

    def answer(self, parameters: Mapping[str, str]) -> SourceAnswer:
        """Look the window up by the parameters `run`, `worker` and `window`.

        Raises:
            Gone: There is no such window.
        """
        window = requested_window(self._logs, parameters)
        try:
            report = report_of_window(window, self._analyses)
        except TbprofError as error:
            return SourceAnswer("broken", None, problem_with(window, error))
        if report is None:
            return SourceAnswer("reading", None, None)
        return SourceAnswer("ready", source_files_view(report), None)
