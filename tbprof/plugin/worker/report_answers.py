"""What the process that reads reports answers: views of them, and figures of many.

Anybody who may write to a log directory can put a report there. What that costs to read is paid here, with
little memory and for a few seconds at most, and never by TensorBoard.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tbprof.errors import Busy, TbprofError
from tbprof.file_names import rank_of
from tbprof.model import Report, Window
from tbprof.plugin.worker.window_messages import MISSING, AskedWindow, Part, json_of, record_in, windows_in
from tbprof.process.answering import Question
from tbprof.store.codec import decode_report
from tbprof.store.windows import stored_report, with_doubt
from tbprof.views.screens import SCREENS, OfReport, OfTwoReports, Screen
from tbprof.views.series_views import figures_of

if TYPE_CHECKING:
    from tbprof.views.job.rank_summary import RankSummary


def answer_of(question: Question) -> bytes:
    """The answer as JSON, or which windows it is missing.

    Raises:
        TbprofError: There is none.
    """
    if question.ask == "job":
        return json_of(_job(question.content))
    if question.ask == "memory_file":
        return json_of(_memory_file(question.path))
    if question.ask == "run_time":
        return json_of(_run_time(json.loads(question.parameters["folders"])))
    if question.ask == "goodputs":
        return json.dumps(_goodputs(json.loads(question.parameters["folders"]))).encode()
    asked = windows_in(question.parameters["windows"])
    if question.ask == "job_first":
        return json.dumps(_job_first(asked)).encode()
    if question.ask == "summaries":
        return json.dumps([_summary(one) for one in asked]).encode()
    if question.ask in _OF_MANY:
        return json_of([_part(one, _OF_MANY[question.ask]) for one in asked])
    reports = [report_of(one) for one in asked]
    missing = [str(at) for at, report in enumerate(reports) if report is None]
    if missing:
        return MISSING + " ".join(missing).encode()
    known = [report for report in reports if report is not None]
    return json_of(_shown(_SCREENS[question.ask], asked[-1].window, known, question.parameters))


def _job(content: bytes) -> object:
    # The first page of a window waits for this process: what that page does not need comes later.
    from tbprof.plugin.worker.job_message import AskedJob
    from tbprof.views.job.job_view import job_page

    job = record_in(content, AskedJob)
    return job_page(job.summaries, job.problems, job.older, job.reading)


def _memory_file(path: str) -> object:
    from tbprof.plugin.worker.memory_documents import memory_document

    return memory_document(path)


def _run_time(folders: Sequence[str]) -> object:
    from tbprof.store.run_times import run_times_in
    from tbprof.views.run_time_view import run_time_view

    found = run_times_in(Path(folder) for folder in folders)
    return run_time_view(found.times, found.reports, found.problems)


def _goodputs(folders: Mapping[str, str]) -> dict[str, float]:
    from tbprof.store.run_times import run_times_in
    from tbprof.views.run_time_view import goodputs_of

    return goodputs_of(
        {run: run_times_in((Path(folder),), with_reports=False).times for run, folder in folders.items()}
    )


def _summary(asked: AskedWindow) -> dict[str, Any] | str | None:
    """The summary of a window, or why it has none; None where there is no report of it."""
    from tbprof.views.fleet_summary import document_of, summary_of

    try:
        report = report_of(asked)
        return None if report is None else document_of(summary_of(report))
    except Busy:
        # A remote report that could not be read now may be in half a minute.
        return None
    except TbprofError as error:
        return str(error)


def _job_first(asked: Sequence[AskedWindow]) -> dict[str, Any] | None:
    """What the job of these ranks says first; None where a report of them is not at hand any more."""
    from tbprof.views.job.job_first import first_document, job_first
    from tbprof.views.job.job_page import RankProblem
    from tbprof.views.job.job_view import job_page

    ranks, problems = [], []
    for one in asked:
        window = one.window
        try:
            report = report_of(one, is_one_of_many=True)
        except TbprofError as error:
            problems.append(RankProblem(rank_of(window.worker), window.worker, str(error)))
            continue
        if report is None:
            return None
        ranks.append(_rank_summary(window, report))
    return first_document(job_first(job_page(ranks, problems)))


def _rank_summary(window: Window, report: Report) -> RankSummary:
    from tbprof.views.job.rank_summary import rank_of_window

    return rank_of_window(window, report)


def _part(asked: AskedWindow, of: Callable[[Window, Report], object]) -> Part:
    try:
        report = report_of(asked, is_one_of_many=True)
    except TbprofError as error:
        return Part(error=str(error))
    if report is None:
        return Part(is_missing=True)
    return Part(record=json_of(of(asked.window, report)).decode())


_SCREENS = {screen.name: screen for screen in SCREENS if isinstance(screen.reads, OfReport | OfTwoReports)}


def _shown(screen: Screen, window: Window, reports: Sequence[Report], given: Mapping[str, str]) -> object:
    """The record of a screen of the last of these windows."""
    match screen.reads:
        case OfReport(answer):
            view = answer(window, reports[0], screen.taken(given))
        case OfTwoReports(answer):
            view = answer(reports[0], reports[1])
    return screen.filled("ready", view=view) if screen.shows else view


_OF_MANY: Mapping[str, Callable[[Window, Report], object]] = {
    "figures": lambda _, report: figures_of(report),
    "rank_summary": _rank_summary,
}
"""A function of one report, by what is asked of many windows at once."""


def report_of(asked: AskedWindow, *, is_one_of_many: bool = False) -> Report | None:
    """The one that came with the question, else the one at hand; None where its trace must be read.

    Raises:
        TbprofError: It can't be used.
    """
    if asked.stored is None:
        return stored_report(asked.window, is_one_of_many=is_one_of_many)
    path = asked.window.trace_path or ""
    report = decode_report(asked.stored, name=path, is_one_of_many=is_one_of_many)
    named = dataclasses.replace(report, trace=dataclasses.replace(report.trace, path=path))
    return with_doubt(asked.window, named)
