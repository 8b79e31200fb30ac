"""The ranks that stand out among thousands: a page holds some, and nobody reads the others."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from statistics import median
from typing import get_args

from tbprof.file_names import rank_of
from tbprof.model import Window
from tbprof.records import dataclass
from tbprof.texts.job import rank_name
from tbprof.views.series import FigureSpread, RankFigure, SeriesRow

MOST_ROWS = 64
"""The most rows of a first answer: some 50 kB."""

_MOST_BROKEN = 16
"""Ranks that give nothing, or a part only; a sentence counts all of them."""

_FARTHEST = 9
"""The number of ranks farthest from the median, by each figure."""


def outstanding_rows(rows: Sequence[SeriesRow]) -> tuple[SeriesRow, ...]:
    """In their order: broken and damaged ones, and those with the median of a figure or farthest from it."""
    if len(rows) <= MOST_ROWS:
        return tuple(rows)
    broken = (at for at, row in enumerate(rows) if row.figures is None or row.figures.is_damaged)
    chosen = {*islice(broken, _MOST_BROKEN), *_far(rows)}
    return tuple(rows[at] for at in sorted(chosen)[:MOST_ROWS])


def extreme_rows(rows: Sequence[SeriesRow]) -> Iterator[SeriesRow]:
    """The rows with the most and the least of each figure, unless all have the same; some may come twice."""
    for figure in get_args(RankFigure):
        values = sorted(_values(rows, figure), key=lambda one: one[1])
        if values and values[0][1] < values[-1][1]:
            yield rows[values[-1][0]]
            yield rows[values[0][0]]


def spreads_of(rows: Sequence[SeriesRow]) -> tuple[FigureSpread, ...]:
    """The spread of each figure that a rank has."""
    found = []
    for figure in get_args(RankFigure):
        values = [value for _, value in _values(rows, figure)]
        if values:
            found.append(FigureSpread(figure, min(values), median(values), max(values)))
    return tuple(found)


def _far(rows: Sequence[SeriesRow]) -> Iterator[int]:
    for figure in get_args(RankFigure):
        values = sorted(_values(rows, figure), key=lambda one: one[1])
        if not values:
            continue
        middle = values[len(values) // 2]
        yield middle[0]
        # What stands farthest out is at one end or the other.
        ends = (*values[:_FARTHEST], *values[-_FARTHEST:])
        farthest = sorted(ends, key=lambda one: -abs(one[1] - middle[1]))[:_FARTHEST]
        yield from (at for at, _ in (values[0], values[-1], *farthest))


def _values(rows: Sequence[SeriesRow], figure: RankFigure) -> list[tuple[int, float]]:
    """With the index of its row; a figure of a part of a trace is no figure of a rank."""
    whole = ((at, row.figures) for at, row in enumerate(rows) if row.figures and not row.figures.is_damaged)
    known = ((at, getattr(figures, figure)) for at, figures in whole)
    return [(at, value) for at, value in known if value is not None]


_ARRIVES_WITHIN_S = 120.0
"""Ranks publish the same window within seconds of each other."""


@dataclass(frozen=True, slots=True)
class NewestWindow:
    number: int
    """Its place in line, from 1 on."""
    windows: tuple[Window, ...]
    """The windows of the workers that have it."""
    lacking: tuple[str, ...]
    """The other workers."""

    def is_arriving(self) -> bool:
        """Whether its last file is so young that those of the others may follow."""
        now_s = time.time()
        return any(now_s - _written_s(window) < _ARRIVES_WITHIN_S for window in self.windows)


def newest_window(windows: Iterable[Window]) -> NewestWindow:
    """The newest of the windows of a run, at least one, in the order of their time."""
    by_worker: dict[str, list[Window]] = {}
    for window in windows:
        by_worker.setdefault(window.worker, []).append(window)
    number = max(map(len, by_worker.values()))
    return NewestWindow(
        number=number,
        windows=tuple(found[-1] for found in by_worker.values() if len(found) == number),
        lacking=tuple(worker for worker, found in by_worker.items() if len(found) < number),
    )


def names_of(workers: Iterable[str]) -> Sequence[str]:
    """What they are called in sentences, by rank."""
    numbered = [(rank_of(worker), worker) for worker in workers]
    numbered.sort(key=lambda one: (one[0] is None, one[0] or 0, one[1]))
    return [rank_name(rank, worker) for rank, worker in numbered]


def _written_s(window: Window) -> float:
    """When; the report may be written again long after its trace."""
    try:
        return Path(window.trace_path or window.report_path or "").stat().st_mtime
    except OSError:
        return 0.0
