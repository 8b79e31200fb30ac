"""The answer to "show me the job of this run": all its ranks together, from their reports alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import chain

from tbprof.errors import TbprofError
from tbprof.file_names import rank_of
from tbprof.model import Window
from tbprof.plugin.routes.kept_figures import KeptFigures, Patience
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.requested_window import in_log_directory
from tbprof.plugin.routes.run_windows import number_of, windows_by_worker
from tbprof.plugin.worker.asked_windows import as_it_is, json_of
from tbprof.plugin.worker.kept_answers import Answer, KeptAnswers
from tbprof.plugin.worker.reports import Reports
from tbprof.store.lookup.job_windows import job_windows
from tbprof.texts.job.notes import reading_sentence
from tbprof.views.job.job_page import JobAnswer, RankProblem

__all__ = ["JobAnswers"]

_KEPT_SUMMARIES = 4096
"""Of a few kB each; a larger job is kept alone."""

_KEPT_BYTES = 16 * 1024 * 1024
"""Of answers; that of a thousand ranks takes a MB."""

_MOST_UNREAD = 64
"""Windows: while more are missing, a page of the others would take as long to make as to read them."""


class JobAnswers:
    """A window without a report is queued to be read, and the page is of the others until it is."""

    def __init__(self, logs: LogDirectory, reports: Reports) -> None:
        self._logs = logs
        self._reports = reports
        self._summaries = KeptFigures(reports, "rank_summary", str, _KEPT_SUMMARIES)
        self._answers = KeptAnswers(_KEPT_BYTES)

    def answer(self, parameters: Mapping[str, str]) -> Answer:
        """A `JobAnswer` of the window of the place `number` in line (from 1 on) of every worker of `run`.

        Without a number it is the last that every worker has.

        Raises:
            Gone: There is no such run.
            UsageError: The number is none, or no worker has so many windows.
            Busy: Too much is asked at once.
        """
        by_worker = windows_by_worker(self._logs, parameters.get("run", ""))
        number = number_of(parameters) if "number" in parameters else None
        chosen = job_windows(chain.from_iterable(by_worker.values()), number)
        windows = chosen.windows
        summaries: list[str] = []
        problems: list[RankProblem] = []
        for window, found in zip(windows, self._summaries.of(windows, Patience()), strict=True):
            if isinstance(found, TbprofError):
                problems.append(_problem(window, found))
            elif found is not None:
                summaries.append(found)
        reading = len(windows) - len(summaries) - len(problems)
        without_page = JobAnswer(
            state="reading" if reading else "ready",
            sentence=reading_sentence(len(windows) - reading, len(windows)) if reading else "",
            window=chosen.number,
            windows=chosen.common,
            page=None,
        )
        if reading > _MOST_UNREAD or reading == len(windows):
            return Answer(json_of(without_page))
        return self._with_page(without_page, summaries, problems, chosen.older)

    def _with_page(
        self,
        answer: JobAnswer,
        summaries: Sequence[str],
        problems: Sequence[RankProblem],
        older: tuple[str, ...],
    ) -> Answer:
        """The same reports give the same page."""
        key = answer, tuple(summaries), tuple(problems), older
        kept = self._answers.get(key)
        if kept is not None:
            return kept
        page = self._reports.page_of_job(summaries, problems, older)
        return self._answers.keep(key, json_of(dataclasses.replace(answer, page=as_it_is(page))))


def _problem(window: Window, error: TbprofError) -> RankProblem:
    return RankProblem(rank_of(window.worker), window.worker, in_log_directory(window, str(error)))
