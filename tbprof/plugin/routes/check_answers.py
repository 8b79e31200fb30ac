"""The answer to "what became of each check of this window"."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.requested_window import at_hand, requested_window
from tbprof.plugin.worker.kept_answers import Answer
from tbprof.plugin.worker.reports import Reports


class CheckAnswers:
    def __init__(self, logs: LogDirectory, reports: Reports) -> None:
        self._logs = logs
        self._reports = reports

    def answer(self, parameters: Mapping[str, str]) -> Answer:
        """The checks of the window of `run`, `worker` and `window`.

        Raises:
            TbprofError: There is no such window, it gives nothing, or it is still being read.
        """
        return at_hand(self._reports, "checks", requested_window(self._logs, parameters), {})
