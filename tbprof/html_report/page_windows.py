"""Windows on their way into a page: those that matter most whole, of the others what they are compared by."""

from __future__ import annotations

import dataclasses
import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, zip_longest
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tbprof.errors import TbprofError, UsageError
from tbprof.file_names import rank_of
from tbprof.model import Report, Window
from tbprof.records import dataclass
from tbprof.store.job_windows import JobWindows, job_windows
from tbprof.texts.job import not_newest_note
from tbprof.texts.problems import LEFT_OUT_JOB, held_sentence, left_out_runs_sentence
from tbprof.views.answer import in_log_directory
from tbprof.views.job.job_view import job_page
from tbprof.views.lost_time import lost_share
from tbprof.views.outstanding import NewestWindow, extreme_rows, names_of, newest_window
from tbprof.views.runs import runs_view
from tbprof.views.series import SeriesRow, WindowFigures
from tbprof.views.series_views import figures_of, ranks_view, series_row, trend_view

if TYPE_CHECKING:
    from tbprof.views.job.job_page import RankProblem
    from tbprof.views.job.rank_summary import RankSummary


LEAST_COMPUTING = "those in which the GPUs compute least"
MOST_OF_TREND = 120
"""Windows of one worker, the newest ones."""
_OUTSTANDING = "those of ranks that stand out, the newest, and "
_MOST_OUTSTANDING = 0.75
"""The most windows of a page that stand out: the rest is for those that lose much without standing out."""
_NO_RUN = ("", ".")
"""The run of a file that is shown alone, and of what lies in the log directory itself."""

WindowReport: TypeAlias = tuple[Window, Report]
ReadAgain: TypeAlias = Callable[[Sequence[Window]], Iterable[tuple[Window, Report | TbprofError]]]


@dataclass(frozen=True, slots=True)
class PageWindow:
    """One of a run: it is held, or left out, or could not be read."""

    window: Window
    report: Report | None = None
    """The report of a window that the page holds."""
    figures: WindowFigures | None = None
    """The figures of a window that is left out."""
    summary: RankSummary | None = None
    error: TbprofError | None = None
    """The error of a window that could not be read."""

    @property
    def is_damaged(self) -> bool:
        """Whether none or only a part of it could be read."""
        if self.report is not None:
            return self.report.trace.is_damaged
        return self.figures is None or self.figures.is_damaged


@dataclass(frozen=True, slots=True)
class PageWindows:
    runs: Mapping[str, Mapping[str, Sequence[PageWindow]]]
    """All windows of the runs of which the page holds any, by run and worker, in the order of their time."""
    held: int
    total: int
    """The number of windows of all runs that were read."""
    which: str
    """The windows that are held, in words."""
    runs_left_out: int
    """Runs of which the page holds no window."""

    @property
    def rows(self) -> list[PageWindow]:
        """The windows by run, worker and time."""
        return [row for workers in self.runs.values() for rows in workers.values() for row in rows]

    @property
    def note(self) -> str:
        """How many windows the page holds; "" if it is all."""
        if self.held == self.total:
            return ""
        longest = max(len(rows) for workers in self.runs.values() for rows in workers.values())
        held = held_sentence(self.held, self.total, self.which, min(longest, MOST_OF_TREND), of=longest)
        return f"{held}{left_out_runs_sentence(self.runs_left_out)}"


def choose_windows(
    windows: Iterable[WindowReport],
    broken: Iterable[tuple[Window, TbprofError]] = (),
    *,
    most: int,
    loss: Callable[[Report], float] = lost_share,
    which: str = LEAST_COMPUTING,
    read_again: ReadAgain | None = None,
) -> PageWindows:
    """Take windows as they come, and hold the reports of some; a few kB are kept of each other one.

    Args:
        windows: By run, worker and time.
        broken: Those that could not be read, looked at when all are.
        most: So many are held.
        loss: Of a report: those with most of it are held, of equal ones the newest.
        which: The same in words.
        read_again: Reads some again. With it windows that stand out among all are held before these: who they
            are is known only when the reports of most are gone.
    """
    held: list[tuple[float, int, int, WindowReport]] = []
    left_out: list[PageWindow] = []
    runs: dict[str, None] = {}
    for number, (found, report) in enumerate(windows):
        window = _with_run(found)
        runs[window.run] = None
        heapq.heappush(held, (loss(report), window.order_ns, number, (window, report)))
        if len(held) > most:
            left_out.append(_left_out(*heapq.heappop(held)[-1]))
    rows = [PageWindow(*one) for *_, one in sorted(held, reverse=True)]
    failed = [PageWindow(_with_run(window), error=error) for window, error in broken]
    if left_out and read_again is not None:
        rows, left_out = _exchanged(rows, left_out, failed, read_again)
        which = _OUTSTANDING + which
    of_runs = _by_run([*rows, *left_out, *failed], _held_runs(rows, runs))
    return PageWindows(
        of_runs, len(rows), len(rows) + len(left_out), which, len(runs.keys() - of_runs.keys())
    )


def _exchanged(
    held: Sequence[PageWindow],
    left_out: Sequence[PageWindow],
    failed: Sequence[PageWindow],
    read_again: ReadAgain,
) -> tuple[list[PageWindow], list[PageWindow]]:
    """Swap as many windows that are held for others: those that stand out replace the last of `held`."""
    outstanding = _outstanding([*held, *left_out], failed, ceil(_MOST_OUTSTANDING * len(held)))
    lacking = [row.window for row in left_out if row.window in outstanding]
    found = {
        window: PageWindow(window, report)
        for window, report in read_again(lacking)
        if not isinstance(report, TbprofError)
    }
    room = len(held) - len(found)
    in_order = sorted(held, key=lambda row: row.window not in outstanding)
    released = [_left_out(row.window, row.report) for row in in_order[room:] if row.report is not None]
    rest = [row for row in left_out if row.window not in found]
    return [*in_order[:room], *found.values()], [*rest, *released]


def _outstanding(rows: Sequence[PageWindow], failed: Sequence[PageWindow], most: int) -> set[Window]:
    """The windows that stand out, of the newest runs and of those that the page holds, one run after the
    other.
    """
    newest_first = sorted(rows, key=lambda row: -row.window.order_ns)
    runs = dict.fromkeys(row.window.run for row in newest_first)
    in_order = dict.fromkeys([*islice(runs, most), *_held_runs(rows, runs)])
    of_runs = _by_run([*rows, *failed], in_order).values()
    in_turn = chain.from_iterable(zip_longest(*map(outstanding_windows, of_runs)))
    return {row.window for row in islice(filter(None, in_turn), most)}


def _held_runs(rows: Iterable[PageWindow], runs: Iterable[str]) -> list[str]:
    """Each once."""
    held = {row.window.run for row in rows if row.report is not None}
    return [run for run in dict.fromkeys(runs) if run in held]


def _left_out(window: Window, report: Report) -> PageWindow:
    # Comparing ranks takes numpy, which a page of one window does without.
    from tbprof.views.job.rank_summary import rank_of_window

    summary = rank_of_window(window, report)
    return PageWindow(window, figures=figures_of(report), summary=summary)


def _by_run(rows: Sequence[PageWindow], names: Iterable[str]) -> dict[str, dict[str, list[PageWindow]]]:
    """These runs, in this order."""
    runs: dict[str, dict[str, list[PageWindow]]] = {name: {} for name in names}
    for row in sorted(rows, key=_place):
        if row.window.run in runs:
            runs[row.window.run].setdefault(row.window.worker, []).append(row)
    return runs


def _place(row: PageWindow) -> tuple[str, int, str]:
    return row.window.worker, row.window.order_ns, row.window.window


def _with_run(window: Window) -> Window:
    """What lies in the folder that was asked for has no run; away from there it has that folder's name."""
    path = window.trace_path or window.report_path
    if window.run not in _NO_RUN or path is None:
        return window
    return dataclasses.replace(window, run=Path(path).absolute().parent.name)


_MOST_LATE = 8
"""Ranks that are late: where nearly all are late in turn, others matter as much."""

_MOST_DAMAGED = 8


def outstanding_windows(workers: Mapping[str, Sequence[PageWindow]]) -> list[PageWindow]:
    """The windows of one run, those first that matter most; all of them can be read.

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
    """The windows of late ranks before others that stand out at the same place in line."""
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


MOST_TREND_ROWS = 2_048
"""The most rows of trends of workers that the page holds no window of; some 800 bytes each."""

_Workers: TypeAlias = Mapping[str, Sequence[PageWindow]]


def embedded_series(windows: PageWindows) -> dict[str, Any]:
    """What the plugin answers: `ranks` and `jobs` of each run by number, `trends` of each worker."""
    return {
        "ranks": [
            {"run": run, "number": number, "view": _told(ranks_view(_nth(workers, number)), windows.note)}
            for run, workers in windows.runs.items()
            for number in range(1, max(map(len, workers.values())) + 1)
        ],
        "jobs": embedded_jobs(windows),
        "trends": list(_trends(windows)),
    }


def _trends(windows: PageWindows) -> Iterator[dict[str, Any]]:
    room = MOST_TREND_ROWS
    for run, workers in windows.runs.items():
        for worker, rows in workers.items():
            shown = list(enumerate(rows, start=1))[-MOST_OF_TREND:]
            if all(row.report is None for row in rows):
                room -= len(shown)
                if room < 0:
                    continue
            view = trend_view([row_of_series(row, number) for number, row in shown], len(rows) - len(shown))
            yield {"run": run, "worker": worker, "view": _told(view, windows.note)}


def _told(view: Any, note: str) -> dict[str, Any]:
    """With what the page holds after its verdict."""
    return dataclasses.asdict(view) | {"detail": " ".join(filter(None, (view.detail, note)))}


def _nth(workers: _Workers, number: int) -> list[SeriesRow]:
    return [row_of_series(rows[number - 1], number) for rows in workers.values() if len(rows) >= number]


def row_of_series(row: PageWindow, number: int) -> SeriesRow:
    """A window in its place among those of its worker."""
    if row.error is not None:
        return series_row(row.window, number, problem=in_log_directory(row.window, str(row.error)))
    return series_row(row.window, number, row.figures if row.report is None else figures_of(row.report))


MOST_JOB_RANKS = 1_024
"""The most ranks of all jobs of a page but the newest, which is there whatever its size; some 4 kB each."""


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
    """The jobs of runs with several workers; of large jobs the newest windows only, and the others say so."""
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
    from tbprof.views.job.rank_summary import rank_of_window

    if row.report is None:
        assert row.summary is not None
        return row.summary
    return rank_of_window(row.window, row.report)


def rank_problem(row: PageWindow) -> RankProblem:
    """The problem of a window that could not be read."""
    from tbprof.views.job.job_page import RankProblem

    worker = row.window.worker
    return RankProblem(rank_of(worker), worker, in_log_directory(row.window, str(row.error)))
