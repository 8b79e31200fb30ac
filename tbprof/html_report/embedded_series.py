"""The ranks and the trends of the runs in a page, from all their windows, held by the page or not."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from tbprof.html_report.embedded_jobs import embedded_jobs
from tbprof.html_report.page_windows import MOST_OF_TREND, PageWindow, PageWindows
from tbprof.views.series.series import SeriesRow, figures_of
from tbprof.views.series.series_views import ranks_view, series_row, trend_view
from tbprof.views.window.problems import in_log_directory

MOST_TREND_ROWS = 2_048
"""Of the trends of workers that the page holds no window of; some 800 bytes each."""

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
    """With what the page holds behind its verdict."""
    return dataclasses.asdict(view) | {"detail": " ".join(filter(None, (view.detail, note)))}


def _nth(workers: _Workers, number: int) -> list[SeriesRow]:
    return [row_of_series(rows[number - 1], number) for rows in workers.values() if len(rows) >= number]


def row_of_series(row: PageWindow, number: int) -> SeriesRow:
    """A window in its place among those of its worker."""
    if row.error is not None:
        return series_row(row.window, number, problem=in_log_directory(row.window, str(row.error)))
    return series_row(row.window, number, row.figures if row.report is None else figures_of(row.report))
