"""The answer to "what became of each check of this window"."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.errors import Busy
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.reports import report_of_window
from tbprof.plugin.routes.requested_window import requested_window
from tbprof.plugin.worker.analyses import Analyses
from tbprof.views.checks.building import checks_view
from tbprof.views.checks.checks import ChecksView

__all__ = ["CheckAnswers"]


class CheckAnswers:
    def __init__(self, logs: LogDirectory, analyses: Analyses) -> None:
        self._logs = logs
        self._analyses = analyses

    def answer(self, parameters: Mapping[str, str]) -> ChecksView:
        """The checks of the window of `run`, `worker` and `window`.

        Raises:
            TbprofError: There is no such window, it gives nothing, or it is still being read.
        """
        report = report_of_window(requested_window(self._logs, parameters), self._analyses)
        if report is None:
            raise Busy("the window is still being read: ask again in a moment")
        return checks_view(report)
