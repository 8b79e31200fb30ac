"""The ranks and the trends of the runs in a page, from the windows that it carries."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from tbprof.model import Report, Window
from tbprof.views.series.building import ranks_view, series_row, trend_view
from tbprof.views.series.series import SeriesRow, figures_of

__all__ = ["embedded_series"]


def embedded_series(windows: Sequence[tuple[Window, Report]]) -> dict[str, Any]:
    """What the plugin's routes would answer: `ranks` of each run by number, `trends` of each worker."""
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
        "trends": [
            {"run": run, "worker": worker, "view": dataclasses.asdict(trend_view(rows, 0))}
            for run, workers in runs.items()
            for worker, rows in workers.items()
        ],
    }


def _nth(workers: dict[str, list[SeriesRow]], number: int) -> list[SeriesRow]:
    return [rows[number - 1] for rows in workers.values() if len(rows) >= number]
