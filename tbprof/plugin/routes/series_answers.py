"""The answers to "show me all ranks" and "show me all windows" of a run.

A window without a report is queued to be read; its row says so until it is.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock

from tbprof.errors import Gone, TbprofError
from tbprof.model import Window
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.reports import report_of_window
from tbprof.plugin.routes.requested_window import in_log_directory
from tbprof.plugin.routes.run_windows import key_of_window, number_of, windows_by_worker
from tbprof.plugin.worker.analyses import Analyses
from tbprof.views.series.building import ranks_view, series_row, trend_view
from tbprof.views.series.series import RanksView, SeriesRow, TrendView, WindowFigures, figures_of

__all__ = ["MAX_WINDOWS", "SeriesAnswers"]

MAX_WINDOWS = 120
"""Windows of one worker that a trend shows, the newest ones."""

_KEPT = 2048
"""Windows whose figures are remembered: reading hundreds of reports takes seconds."""

_Key = tuple[str, int]


class SeriesAnswers:
    def __init__(self, logs: LogDirectory, analyses: Analyses) -> None:
        self._logs = logs
        self._analyses = analyses
        self._lock = Lock()
        self._figures: OrderedDict[_Key, WindowFigures] = OrderedDict()

    def ranks(self, parameters: Mapping[str, str]) -> RanksView:
        """The window of the place `number` in line (from 1 on) of every worker of `run`.

        Raises:
            Gone: There is no such run.
            UsageError: The number is none.
        """
        number = number_of(parameters)
        by_worker = windows_by_worker(self._logs, parameters.get("run", ""))
        same = [(windows[number - 1], number) for windows in by_worker.values() if len(windows) >= number]
        rows = [self._row(*one) for one in same]
        return ranks_view(rows)

    def trend(self, parameters: Mapping[str, str]) -> TrendView:
        """The newest windows of `worker` of `run`.

        Raises:
            Gone: There is no such run or worker.
        """
        by_worker = windows_by_worker(self._logs, parameters.get("run", ""))
        worker = parameters.get("worker", "")
        if worker not in by_worker:
            raise Gone("there is no such worker in the run: it may have been deleted")
        numbered = list(enumerate(by_worker[worker], start=1))
        shown = numbered[-MAX_WINDOWS:]
        rows = [self._row(window, number) for number, window in shown]
        return trend_view(rows, len(numbered) - len(shown))

    def _row(self, window: Window, number: int) -> SeriesRow:
        try:
            figures = self._figures_of(window)
        except TbprofError as error:
            return series_row(window, number, problem=in_log_directory(window, str(error)))
        return series_row(window, number, figures)

    def _figures_of(self, window: Window) -> WindowFigures | None:
        """None while the window is read.

        Raises:
            TbprofError: It gives nothing.
        """
        key = key_of_window(window)
        with self._lock:
            if key in self._figures:
                return self._figures[key]
        report = report_of_window(window, self._analyses)
        if report is None:
            return None
        figures = figures_of(report)
        with self._lock:
            self._figures[key] = figures
            while len(self._figures) > _KEPT:
                self._figures.popitem(last=False)
        return figures
