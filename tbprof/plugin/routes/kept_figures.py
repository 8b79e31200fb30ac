"""Figures of the windows of runs that were looked at, so that no report is read twice."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from tbprof.model import Report, Window
from tbprof.plugin.routes.reports import report_of_one_of_many
from tbprof.plugin.routes.run_windows import key_of_window
from tbprof.plugin.worker.analyses import Analyses

__all__ = ["KeptFigures", "Patience"]

_PATIENCE_S = 1.0
"""Of an answer: reading the reports of a thousand ranks takes about that, and holds up the whole server."""

_Figures = TypeVar("_Figures")


class Patience:
    """Within one answer: whether there is time for another report."""

    def __init__(self) -> None:
        self._ends_at = time.monotonic() + _PATIENCE_S

    @property
    def has_ended(self) -> bool:
        return time.monotonic() > self._ends_at


class KeptFigures(Generic[_Figures]):
    """By run, window by window; the runs that were not looked at for longest are forgotten first.

    The run that is looked at is kept whole, however large it is: to forget a part of it would be to read all
    of it again for each answer.
    """

    def __init__(self, analyses: Analyses, of: Callable[[Window, Report], _Figures], most: int) -> None:
        """Keep nothing yet.

        Args:
            analyses: Reads traces that have no report.
            of: The figures of a report.
            most: Windows beyond which other runs are forgotten.
        """
        self._analyses = analyses
        self._of = of
        self._most = most
        self._lock = Lock()
        self._runs: OrderedDict[str, dict[str, tuple[int, _Figures]]] = OrderedDict()

    def figures(self, window: Window, patience: Patience) -> _Figures | None:
        """None while the window is read, or waits for the next answer.

        Raises:
            TbprofError: It gives nothing.
        """
        path, changed_ns = key_of_window(window)
        with self._lock:
            run = self._runs.setdefault(window.run, {})
            known = run.get(path)
        if known is not None and known[0] == changed_ns:
            return known[1]
        if patience.has_ended:
            return None
        report = report_of_one_of_many(window, self._analyses)
        if report is None:
            return None
        figures = self._of(window, report)
        with self._lock:
            run[path] = changed_ns, figures
            self._runs[window.run] = run
            self._runs.move_to_end(window.run)
            self._forget_others()
        return figures

    def _forget_others(self) -> None:
        while len(self._runs) > 1 and sum(map(len, self._runs.values())) > self._most:
            self._runs.popitem(last=False)
