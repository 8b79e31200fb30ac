"""The answer to "give me this finding as text"."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.requested_window import at_hand, requested_window
from tbprof.plugin.worker.kept_answers import Answer
from tbprof.plugin.worker.reports import Reports


class FindingAnswers:
    def __init__(self, logs: LogDirectory, reports: Reports) -> None:
        self._logs = logs
        self._reports = reports

    def answer(self, parameters: Mapping[str, str]) -> Answer:
        """The finding of the fingerprint `finding` in the window of `run`, `worker` and `window`.

        Raises:
            TbprofError: There is no such window or finding, or the window gives nothing.
        """
        window = requested_window(self._logs, parameters)
        named = {"finding": parameters.get("finding", "")}
        return at_hand(self._reports, "finding", window, named)
