"""Where the time of a whole run went."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.series_answers import folders_of_run
from tbprof.plugin.worker.kept import Answer
from tbprof.plugin.worker.reports import Reports
from tbprof.safe_open import file_state
from tbprof.store.run_times import run_time_files
from tbprof.views.run_time import NO_RUN_TIME, RunTimeView


class RunTimeAnswers:
    def __init__(self, logs: LogDirectory, reports: Reports) -> None:
        self._logs = logs
        self._reports = reports

    def answer(self, parameters: Mapping[str, str]) -> Answer | RunTimeView:
        """The parts of `run`; none of them where the hook left nothing.

        Raises:
            Gone: There is no such run.
        """
        folders = sorted(folders_of_run(self._logs, parameters.get("run", "")))
        states = []
        for path in (path for folder in folders for path in run_time_files(folder)):
            with contextlib.suppress(OSError):
                states.append((path.name, *file_state(path.stat(follow_symlinks=False))))
        if not states:
            return NO_RUN_TIME
        return self._reports.run_time([str(folder) for folder in folders], (self._logs.version(), *states))
