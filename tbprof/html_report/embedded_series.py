"""The ranks and the trends of the runs in a page, from the windows that it carries."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from tbprof.file_names import rank_of
from tbprof.model import Report, Window
from tbprof.views.series.building import ranks_view, series_row, trend_view
from tbprof.views.series.series import SeriesRow, figures_of

__all__ = ["embedded_series"]


def embedded_series(windows: Sequence[tuple[Window, Report]]) -> dict[str, Any]:
    """What the plugin answers: `ranks` and `jobs` of each run by number, `trends` of each worker."""
    runs: dict[str, dict[str, list[SeriesRow]]] = {}
    for window, report in windows:
        rows = runs.setdefault(window.run, {}).setdefault(window.worker, [])
        rows.append(series_row(window, len(rows) + 1, figures_of(report)))
    return {
        "ranks": [
            {
                "run": run,
                "number": number,
                "view": dataclasses.asdict(ranks_view(_nth(workers, number))),
            }
            for run, workers in runs.items()
            for number in range(1, max(map(len, workers.values())) + 1)
        ],
        "jobs": _jobs(windows),
        "trends": [
            {"run": run, "worker": worker, "view": dataclasses.asdict(trend_view(rows, 0))}
            for run, workers in runs.items()
            for worker, rows in workers.items()
        ],
    }


def _jobs(windows: Sequence[tuple[Window, Report]]) -> list[dict[str, Any]]:
    """Of runs with several workers, by the place in line of their windows."""
    runs: dict[str, dict[str, list[Report]]] = {}
    for window, report in windows:
        runs.setdefault(window.run, {}).setdefault(window.worker, []).append(report)
    return [
        {"run": run, "number": number, "view": _job(workers, number)}
        for run, workers in runs.items()
        if len(workers) > 1
        for number in range(1, max(map(len, workers.values())) + 1)
    ]


def _job(workers: dict[str, list[Report]], number: int) -> dict[str, Any]:
    # Comparing ranks takes numpy, which a page of one rank does without.
    from tbprof.views.job.job_building import job_page
    from tbprof.views.job.job_page import JobAnswer
    from tbprof.views.job.rank_summary import rank_summary

    ranks = [
        rank_summary(reports[number - 1], worker, rank_of(worker))
        for worker, reports in workers.items()
        if len(reports) >= number
    ]
    common = min(map(len, workers.values()))
    answer = JobAnswer(state="ready", sentence="", window=number, windows=common, page=job_page(ranks))
    return dataclasses.asdict(answer)


def _nth(workers: dict[str, list[SeriesRow]], number: int) -> list[SeriesRow]:
    return [rows[number - 1] for rows in workers.values() if len(rows) >= number]
