"""The answer to "what is different between these two windows"."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.errors import Busy, TbprofError
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.requested_window import names_file_of, requested_window
from tbprof.plugin.worker.kept_answers import Answer
from tbprof.plugin.worker.reports import Reports, Waiting
from tbprof.views.compare.comparison import CompareAnswer
from tbprof.views.window.problems import problem_with


class CompareAnswers:
    def __init__(self, logs: LogDirectory, reports: Reports) -> None:
        self._logs = logs
        self._reports = reports

    def answer(self, parameters: Mapping[str, str]) -> Answer | CompareAnswer:
        """`run`, `worker` and `window` name the one after, with `before_` in front the one before.

        Raises:
            Gone: There is no such window.
        """
        before = requested_window(self._logs, parameters, "before_")
        after = requested_window(self._logs, parameters)
        try:
            found = self._reports.view("compare", [before, after])
        except Busy:
            return CompareAnswer("reading", None, None)
        except TbprofError as error:
            window = before if names_file_of(before, error) else after
            return CompareAnswer("broken", None, problem_with(window, error))
        return CompareAnswer("reading", None, None) if isinstance(found, Waiting) else found
