"""The answers to "show me all ranks" and "show me all windows" of a run.

A window without a report is queued to be read; its row says so until it is.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from threading import Lock

from tbprof.errors import Gone, TbprofError, UsageError
from tbprof.model import Report, Window
from tbprof.plugin.routes.kept_figures import KeptFigures, Patience
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.requested_window import in_log_directory
from tbprof.plugin.routes.run_windows import number_of, windows_by_worker
from tbprof.plugin.worker.analyses import Analyses
from tbprof.records import dataclass
from tbprof.views.series.building import ranks_view, series_row, trend_view
from tbprof.views.series.series import RanksView, SeriesRow, TrendView, WindowFigures, figures_of

__all__ = ["MAX_WINDOWS", "SeriesAnswers"]

MAX_WINDOWS = 120
"""Windows of one worker that a trend shows, the newest ones."""

_KEPT = 16_384
"""Windows whose figures are remembered, a kB each; a larger run is kept alone."""

_KEPT_ANSWERS = 4
_RETRY_AFTER_S = 10.0


@dataclass(frozen=True, slots=True)
class _KeptRanks:
    windows: Sequence[Window]
    """Of the log directory as it was."""
    view: RanksView
    until: float
    """`time.monotonic()` up to which it holds while they do not change."""


class SeriesAnswers:
    def __init__(self, logs: LogDirectory, analyses: Analyses) -> None:
        self._logs = logs
        self._lock = Lock()
        self._figures = KeptFigures(analyses, _figures, _KEPT)
        self._ranks: OrderedDict[tuple[str, int], _KeptRanks] = OrderedDict()

    def ranks(self, parameters: Mapping[str, str]) -> RanksView:
        """The window of the place `number` in line (from 1 on) of every worker of `run`.

        Of many ranks those that stand out; a part of all where `from` says at which place it begins.

        Raises:
            Gone: There is no such run.
            UsageError: The number is none.
        """
        run, number, first = parameters.get("run", ""), number_of(parameters), _first(parameters)
        return self._outstanding(run, number) if first is None else ranks_view(self._rows(run, number), first)

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
        patience = Patience()
        rows = [self._row(window, number, patience) for number, window in shown]
        return trend_view(rows, len(numbered) - len(shown))

    def _row(self, window: Window, number: int, patience: Patience) -> SeriesRow:
        try:
            figures = self._figures.figures(window, patience)
        except TbprofError as error:
            return series_row(window, number, problem=in_log_directory(window, str(error)))
        return series_row(window, number, figures)

    def _outstanding(self, run: str, number: int) -> RanksView:
        """Of a run that did not change the same answer: polls ask again and again."""
        windows = self._logs.listing().windows
        with self._lock:
            kept = self._ranks.get((run, number))
        if kept is not None and kept.windows is windows and time.monotonic() < kept.until:
            return kept.view
        view = ranks_view(self._rows(run, number))
        if not view.reading:
            # What gives nothing now may have been short of memory.
            is_whole = all(row.state == "ready" for row in view.rows)
            until = float("inf") if is_whole else time.monotonic() + _RETRY_AFTER_S
            with self._lock:
                self._ranks[run, number] = _KeptRanks(windows, view, until)
                while len(self._ranks) > _KEPT_ANSWERS:
                    self._ranks.popitem(last=False)
        return view

    def _rows(self, run: str, number: int) -> tuple[SeriesRow, ...]:
        patience = Patience()
        by_worker = windows_by_worker(self._logs, run)
        same = [windows[number - 1] for windows in by_worker.values() if len(windows) >= number]
        return tuple(self._row(window, number, patience) for window in same)


def _figures(_: Window, report: Report) -> WindowFigures:
    return figures_of(report)


def _first(parameters: Mapping[str, str]) -> int | None:
    """The place in line from which on ranks are wanted, from 0 on.

    Raises:
        UsageError: It is no number.
    """
    text = parameters.get("from")
    if text is None:
        return None
    if not text.isdecimal() or not text.isascii() or len(text) > 9:
        raise UsageError("ranks count from 0 on")
    return int(text)
