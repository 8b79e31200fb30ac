"""The answer to "show me the job of this run": all its ranks together, from their reports alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import chain

from tbprof.errors import TbprofError
from tbprof.file_names import rank_of
from tbprof.model import Window
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.series_answers import number_of, windows_by_worker
from tbprof.plugin.routes.window_figures_cache import Deadline, WindowFiguresCache
from tbprof.plugin.worker.kept import Answer, Kept, Key
from tbprof.plugin.worker.reports import Reports
from tbprof.plugin.worker.window_messages import as_it_is, json_of, record_in
from tbprof.records import dataclass
from tbprof.store.job_windows import JobWindows, job_windows
from tbprof.texts.job import not_newest_note, reading_sentence
from tbprof.views.answer import in_log_directory
from tbprof.views.job.job_page import JobAnswer, JobPage, RankProblem, UnreadRank
from tbprof.views.outstanding import NewestWindow, names_of, newest_window

_MOST_UNREAD = 64
"""Windows: while more are missing, a page of the others would take as long to make as to read them."""


@dataclass(frozen=True, slots=True)
class _Problems:
    """What of a rank's summary is read here."""

    is_damaged: bool


class JobAnswers:
    """A window without a report is queued to be read, and the page is of the others until it is."""

    def __init__(self, logs: LogDirectory, reports: Reports, kept: Kept) -> None:
        self._logs = logs
        self._reports = reports
        self._kept = kept
        self._summaries = WindowFiguresCache(reports, kept, "rank_summary", str, str)

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
        in_order = list(chain.from_iterable(by_worker.values()))
        chosen = job_windows(in_order, number)
        windows = chosen.windows
        newest = newest_window(window for window in in_order if window.worker not in chosen.older)
        note = self._note(chosen, newest) if newest.lacking and chosen.number == chosen.common else ""
        summaries: list[str] = []
        problems: list[RankProblem] = []
        reading: list[UnreadRank] = []
        for window, found in zip(windows, self._summaries.of(windows, Deadline()), strict=True):
            if isinstance(found, TbprofError):
                problems.append(_problem(window, found))
            elif found is None:
                reading.append(UnreadRank(rank_of(window.worker), window.worker))
            else:
                summaries.append(found)
        without_page = JobAnswer(
            state="reading" if reading else "ready",
            sentence=reading_sentence(len(windows) - len(reading), len(windows)) if reading else "",
            window=chosen.number,
            windows=newest.number,
            page=None,
        )
        if len(reading) > _MOST_UNREAD or len(reading) == len(windows):
            return Answer(json_of(without_page))
        return self._with_page(windows[0].run, without_page, summaries, problems, chosen.older, reading, note)

    def _note(self, chosen: JobWindows, newest: NewestWindow) -> str:
        """Why the newest window is not shown; which are damaged is known once they are read."""
        found = self._summaries.of(newest.windows, Deadline())
        damaged = [
            window.worker
            for window, one in zip(newest.windows, found, strict=True)
            if one is not None and (isinstance(one, TbprofError) or record_in(one, _Problems).is_damaged)
        ]
        return not_newest_note(
            chosen.number,
            newest.number,
            lacking=names_of(newest.lacking),
            damaged=names_of(damaged),
            is_arriving=newest.is_arriving(),
        )

    def _with_page(
        self,
        run: str,
        answer: JobAnswer,
        summaries: Sequence[str],
        problems: Sequence[RankProblem],
        older: tuple[str, ...],
        reading: Sequence[UnreadRank],
        note: str,
    ) -> Answer:
        """The same reports give the same page, which begins its notes with this one."""
        made_of = answer, tuple(summaries), tuple(problems), older, tuple(reading), note
        key = Key("job_page", (run, answer.window), made_of)
        kept = self._kept.get(key, Answer)
        if kept is not None:
            return kept
        page = self._reports.page_of_job(summaries, problems, older, reading)
        if note:
            known = record_in(page, JobPage)
            page = json_of(dataclasses.replace(known, notes=(note, *known.notes)))
        return self._kept.keep_answer(key, json_of(dataclasses.replace(answer, page=as_it_is(page))))


def _problem(window: Window, error: TbprofError) -> RankProblem:
    return RankProblem(rank_of(window.worker), window.worker, in_log_directory(window, str(error)))
