"""The answer to "show me the job of this run": all its ranks together, from their reports alone."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from itertools import chain
from threading import Lock

from tbprof.errors import TbprofError
from tbprof.file_names import rank_of
from tbprof.model import Window
from tbprof.plugin.routes.kept_figures import KeptFigures, Patience
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.requested_window import in_log_directory
from tbprof.plugin.routes.run_windows import number_of, windows_by_worker
from tbprof.plugin.worker.reports import Reports
from tbprof.store.lookup.job_windows import job_windows
from tbprof.texts.screens.job import reading_sentence
from tbprof.views.job.job_building import job_page
from tbprof.views.job.job_page import JobAnswer, JobPage, RankProblem
from tbprof.views.job.rank_summary import RankSummary

__all__ = ["JobAnswers"]

_KEPT_SUMMARIES = 4096
"""Of a few kB each; a larger job is kept alone."""

_KEPT_PAGES = 4

_MOST_UNREAD = 64
"""Windows: while more are missing, a page of the others would take as long to make as to read them."""


class JobAnswers:
    """A window without a report is queued to be read, and the page is of the others until it is."""

    def __init__(self, logs: LogDirectory, reports: Reports) -> None:
        self._logs = logs
        self._lock = Lock()
        self._summaries = KeptFigures(reports, "rank_summary", RankSummary, _KEPT_SUMMARIES)
        self._pages: OrderedDict[tuple[tuple[RankSummary, ...], tuple[str, ...]], JobPage] = OrderedDict()

    def answer(self, parameters: Mapping[str, str]) -> JobAnswer:
        """The window of the place `number` in line (from 1 on) of every worker of `run`.

        Without a number it is the last that every worker has.

        Raises:
            Gone: There is no such run.
            UsageError: The number is none, or no worker has so many windows.
        """
        by_worker = windows_by_worker(self._logs, parameters.get("run", ""))
        number = number_of(parameters) if "number" in parameters else None
        chosen = job_windows(chain.from_iterable(by_worker.values()), number)
        windows = chosen.windows
        summaries: list[RankSummary] = []
        problems: list[RankProblem] = []
        for window, found in zip(windows, self._summaries.of(windows, Patience()), strict=True):
            if isinstance(found, TbprofError):
                problems.append(_problem(window, found))
            elif found is not None:
                summaries.append(found)
        reading = len(windows) - len(summaries) - len(problems)
        is_shown = reading <= _MOST_UNREAD and reading < len(windows)
        return JobAnswer(
            state="reading" if reading else "ready",
            sentence=reading_sentence(len(windows) - reading, len(windows)) if reading else "",
            window=chosen.number,
            windows=chosen.common,
            page=self._page(summaries, problems, chosen.older) if is_shown else None,
        )

    def _page(
        self,
        summaries: Sequence[RankSummary],
        problems: Sequence[RankProblem],
        older: tuple[str, ...],
    ) -> JobPage:
        """The same reports give the same page."""
        keys = tuple(summaries), older
        with self._lock:
            if not problems and keys in self._pages:
                return self._pages[keys]
        page = job_page(summaries, problems, older)
        if not problems:
            with self._lock:
                self._pages[keys] = page
                while len(self._pages) > _KEPT_PAGES:
                    self._pages.popitem(last=False)
        return page


def _problem(window: Window, error: TbprofError) -> RankProblem:
    return RankProblem(rank_of(window.worker), window.worker, in_log_directory(window, str(error)))
