"""The answer to "give me this finding as text"."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.errors import Busy, Gone
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.reports import report_of_window
from tbprof.plugin.routes.requested_window import requested_window
from tbprof.plugin.worker.analyses import Analyses
from tbprof.views.export.finding_markdown import FindingText, finding_text

__all__ = ["FindingAnswers"]


class FindingAnswers:
    def __init__(self, logs: LogDirectory, analyses: Analyses) -> None:
        self._logs = logs
        self._analyses = analyses

    def answer(self, parameters: Mapping[str, str]) -> FindingText:
        """The finding of the fingerprint `finding` in the window of `run`, `worker` and `window`.

        Raises:
            TbprofError: There is no such window or finding, or the window gives nothing.
        """
        report = report_of_window(requested_window(self._logs, parameters), self._analyses)
        if report is None:
            raise Busy("the window is still being read: ask again in a moment")
        fingerprint = parameters.get("finding", "")
        for finding in report.findings:
            if finding.fingerprint == fingerprint:
                return finding_text(report, finding)
        raise Gone("there is no such finding in this window")
