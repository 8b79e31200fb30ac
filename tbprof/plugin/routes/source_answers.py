"""The answer to "show me the code of this window"."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.errors import Busy, TbprofError
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.requested_window import requested_window
from tbprof.plugin.worker.kept_answers import Answer
from tbprof.plugin.worker.reports import Reports, Waiting
from tbprof.views.source.source import SourceAnswer
from tbprof.views.window.problems import problem_with


class SourceAnswers:
    """What a report holds; no file of the program is opened."""

    def __init__(self, logs: LogDirectory, reports: Reports) -> None:
        self._logs = logs
        self._reports = reports

    def answer(self, parameters: Mapping[str, str]) -> Answer | SourceAnswer:
        """Look the window up by the parameters `run`, `worker` and `window`.

        Raises:
            Gone: There is no such window.
        """
        window = requested_window(self._logs, parameters)
        try:
            found = self._reports.view("source", [window])
        except Busy:
            # It is asked again, and has room in the queue then.
            return SourceAnswer("reading", None, None)
        except TbprofError as error:
            return SourceAnswer("broken", None, problem_with(window, error))
        return SourceAnswer("reading", None, None) if isinstance(found, Waiting) else found
