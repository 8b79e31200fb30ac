"""The windows that the screens of a run's ranks speak of: a page of some windows holds these first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice

from tbprof.html_report.embedded_jobs import rank_problem, summary_of
from tbprof.html_report.embedded_series import row_of_series
from tbprof.html_report.page_windows import PageWindow
from tbprof.store.lookup.job_windows import job_windows
from tbprof.views.job.job_view import job_page
from tbprof.views.series.newest_window import newest_window
from tbprof.views.series.outstanding import extreme_rows
from tbprof.views.window.runs import runs_view

_MOST_LATE = 8
"""Ranks that are late: where nearly all are late in turn, others matter as much."""

_MOST_DAMAGED = 8


def outstanding_windows(workers: Mapping[str, Sequence[PageWindow]]) -> list[PageWindow]:
    """Of one run, those that matter most first; all of them can be read.

    Args:
        workers: All windows of each, in the order of their time.
    """
    rows = {row.window: row for of_worker in workers.values() for row in of_worker}
    last = job_windows(rows, None)
    newest = newest_window(window for window in rows if window.worker not in last.older)
    named = [
        row
        for number in dict.fromkeys((newest.number, last.number))
        for row in _named([rows[window] for window in job_windows(rows, number).windows], number)
    ]
    newest_of_named = (workers[row.window.worker][-1] for row in named)
    in_order = chain(named[:1], [_opened(workers)], named, newest_of_named)
    found = dict.fromkeys(row.window for row in in_order if row.error is None)
    return [rows[window] for window in found]


def _opened(workers: Mapping[str, Sequence[PageWindow]]) -> PageWindow:
    """Where the page of a run opens: the newest window of the worker that is listed first."""
    view = runs_view("", "", [row.window for rows in workers.values() for row in rows], ())
    return workers[view.runs[0].workers[0].worker][-1]


def _named(rows: Sequence[PageWindow], number: int) -> Iterator[PageWindow]:
    """Of windows at the same place in line those of late ranks first, then what else stands out."""
    if len(rows) < 2:
        return
    by_worker = {row.window.worker: row for row in rows}
    summaries = [summary_of(row) for row in rows if row.error is None]
    page = job_page(summaries, [rank_problem(row) for row in rows if row.error is not None])
    late = dict.fromkeys(chain.from_iterable((cause.rank, *cause.also_late) for cause in page.late))
    yield from (by_worker[page.ranks[rank].worker] for rank in islice(late, _MOST_LATE))
    if waiting := [rank for rank in page.ranks if rank.arrival_wait_us]:
        yield by_worker[max(waiting, key=lambda rank: rank.arrival_wait_us or 0.0).worker]
    series = extreme_rows([row_of_series(row, number) for row in rows])
    yield from (by_worker[row.worker] for row in series)
    yield from islice((row for row in rows if row.error is None and row.is_damaged), _MOST_DAMAGED)
