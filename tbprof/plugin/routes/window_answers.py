"""The answer to "show me this window": its view, how far it is, or what is wrong with it."""

from __future__ import annotations

import time
from collections.abc import Mapping

from tbprof.errors import Busy, Gone, TbprofError
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.requested_window import requested_window
from tbprof.plugin.worker.kept_answers import Answer
from tbprof.plugin.worker.reports import Reports, Waiting
from tbprof.views.window.answer import Progress, WindowAnswer
from tbprof.views.window.problems import problem_with


class WindowAnswers:
    """Stored reports at once; traces without one once they are read."""

    def __init__(self, logs: LogDirectory, reports: Reports) -> None:
        self._logs = logs
        self._reports = reports

    def answer(self, parameters: Mapping[str, str]) -> Answer | WindowAnswer:
        """Look the window up by the parameters `run`, `worker` and `window`.

        Raises:
            Gone: There is no such window.
            Busy: Too much is being read.
        """
        window = requested_window(self._logs, parameters)
        try:
            found = self._reports.view("window", [window])
        except (Busy, Gone):
            raise
        except TbprofError as error:
            return WindowAnswer("broken", None, None, problem_with(window, error))
        if isinstance(found, Waiting):
            reading = found.reading
            elapsed = time.monotonic() - reading.since
            progress = Progress(reading.read_bytes, reading.total_bytes, elapsed, found.ahead)
            return WindowAnswer("reading", None, progress, None)
        return found
