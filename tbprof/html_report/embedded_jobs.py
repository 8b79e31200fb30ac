"""The jobs of the runs in a page: all ranks together, at each place in line of their windows."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tbprof.errors import UsageError
from tbprof.file_names import rank_of
from tbprof.html_report.page_windows import PageWindow, PageWindows
from tbprof.model import Window
from tbprof.records import dataclass
from tbprof.store.lookup.job_windows import JobWindows, job_windows
from tbprof.texts.job.notes import not_newest_note
from tbprof.texts.screens.problems import LEFT_OUT_JOB
from tbprof.views.series.newest_window import NewestWindow, names_of, newest_window
from tbprof.views.window.problems import in_log_directory

if TYPE_CHECKING:
    from tbprof.views.job.job_page import RankProblem
    from tbprof.views.job.rank_summary import RankSummary

MOST_JOB_RANKS = 1_024
"""Of all jobs of a page but the newest, which is there whatever its size; some 4 kB each."""


@dataclass(frozen=True, slots=True)
class _Place:
    run: str
    chosen: JobWindows
    rows: Sequence[PageWindow]
    windows: int
    """How many the worker with most of them has."""
    note: str
    """Why the newest window is not the one that is shown; "" if there is nothing to say."""

    @property
    def key(self) -> tuple[str, int]:
        return self.run, self.chosen.number

    @property
    def newest_ns(self) -> int:
        return max(row.window.order_ns for row in self.rows)


def embedded_jobs(windows: PageWindows) -> list[dict[str, Any]]:
    """Of runs with several workers; of large jobs the newest windows only, the others say so."""
    places = list(_places(windows))
    whole = _whole(places)
    return [
        {
            "run": place.run,
            "number": place.chosen.number,
            "view": _job(place, windows.note, is_whole=place.key in whole),
        }
        for place in places
    ]


def _places(windows: PageWindows) -> Iterator[_Place]:
    for run, workers in windows.runs.items():
        row_of = {row.window: row for rows in workers.values() for row in rows}
        for number in range(1, max(map(len, workers.values())) + 1) if len(workers) > 1 else ():
            try:
                chosen = job_windows(row_of, number)
            except UsageError:
                # Only workers of earlier trainings have so many.
                break
            newest = newest_window(window for window in row_of if window.worker not in chosen.older)
            rows = [row_of[window] for window in chosen.windows]
            yield _Place(run, chosen, rows, newest.number, _note(chosen, newest, row_of))


def _note(chosen: JobWindows, newest: NewestWindow, row_of: Mapping[Window, PageWindow]) -> str:
    if not newest.lacking or chosen.number != chosen.common:
        return ""
    damaged = [window.worker for window in newest.windows if row_of[window].is_damaged]
    return not_newest_note(
        chosen.number,
        newest.number,
        lacking=names_of(newest.lacking),
        damaged=names_of(damaged),
        is_arriving=newest.is_arriving(),
    )


def _whole(places: Sequence[_Place]) -> set[tuple[str, int]]:
    """The keys of those that the page has room for."""
    newest = sorted(places, key=lambda place: -place.newest_ns)
    found, room = {place.key for place in newest[:1]}, MOST_JOB_RANKS
    for place in newest[1:]:
        room -= len(place.rows)
        if room >= 0:
            found.add(place.key)
    return found


def _job(place: _Place, note: str, *, is_whole: bool) -> dict[str, Any]:
    # Comparing ranks takes numpy, which a page of one rank does without.
    from tbprof.views.job.job_page import JobAnswer
    from tbprof.views.job.job_view import job_page

    if is_whole:
        problems = [rank_problem(row) for row in place.rows if row.error is not None]
        page = job_page(
            [summary_of(row) for row in place.rows if row.error is None], problems, place.chosen.older
        )
    else:
        page = dataclasses.replace(job_page([]), verdict=LEFT_OUT_JOB, detail="", notes=())
    answer = JobAnswer(
        state="ready",
        sentence="",
        window=place.chosen.number,
        windows=place.windows,
        page=dataclasses.replace(page, notes=(*filter(None, (note, place.note)), *page.notes)),
    )
    return dataclasses.asdict(answer)


def summary_of(row: PageWindow) -> RankSummary:
    """What a rank is compared by, of a window that could be read."""
    from tbprof.views.job.rank_summary import rank_summary

    if row.report is None:
        assert row.summary is not None
        return row.summary
    return rank_summary(row.report, row.window.worker, rank_of(row.window.worker), row.window.order_ns)


def rank_problem(row: PageWindow) -> RankProblem:
    """Of a window that could not be read."""
    from tbprof.views.job.job_page import RankProblem

    worker = row.window.worker
    return RankProblem(rank_of(worker), worker, in_log_directory(row.window, str(row.error)))
