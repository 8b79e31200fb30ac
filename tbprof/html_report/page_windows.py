"""Windows on their way into a page: those that matter most whole, of the others what they are compared by."""

from __future__ import annotations

import dataclasses
import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, islice, zip_longest
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from tbprof.errors import TbprofError
from tbprof.file_names import rank_of
from tbprof.model import Report, Window
from tbprof.records import dataclass
from tbprof.texts.screens.problems import held_sentence, left_out_runs_sentence
from tbprof.views.export.run_summary import lost_share
from tbprof.views.series.series import WindowFigures, figures_of

if TYPE_CHECKING:
    from tbprof.views.job.rank_summary import RankSummary

LEAST_COMPUTING = "those in which the GPUs compute least"
MOST_OF_TREND = 120
"""Windows of one worker, the newest ones."""
_OUTSTANDING = "those of ranks that stand out, the newest, and "
_MOST_OUTSTANDING = 0.75
"""Of a page: the rest is for windows that lose much without standing out."""
_NO_RUN = ("", ".")
"""Of a file that is shown alone, and of what lies in the log directory itself."""

WindowReport: TypeAlias = tuple[Window, Report]
ReadAgain: TypeAlias = Callable[[Sequence[Window]], Iterable[tuple[Window, Report | TbprofError]]]


@dataclass(frozen=True, slots=True)
class PageWindow:
    """One of a run: it is held, or left out, or could not be read."""

    window: Window
    report: Report | None = None
    """Of one that the page holds."""
    figures: WindowFigures | None = None
    """Of one that is left out, as the next one."""
    summary: RankSummary | None = None
    error: TbprofError | None = None
    """Of one that could not be read."""

    @property
    def is_damaged(self) -> bool:
        """Whether none or only a part of it could be read."""
        if self.report is not None:
            return self.report.trace.is_damaged
        return self.figures is None or self.figures.is_damaged


@dataclass(frozen=True, slots=True)
class PageWindows:
    runs: Mapping[str, Mapping[str, Sequence[PageWindow]]]
    """By run and worker, in the order of their time: all windows of the runs of which the page holds any."""
    held: int
    total: int
    """Of all runs, those that were read."""
    which: str
    """Those that are held, in words."""
    runs_left_out: int
    """Runs of which the page holds no window."""

    @property
    def rows(self) -> list[PageWindow]:
        """By run, worker and time."""
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
        read_again: Reads some anew. With it windows that stand out among all are held before these: who they
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
    """As many that are held and the others; windows that stand out come in place of the last of `held`."""
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
    """Of the newest runs and of those that the page holds windows of, in turn: one of each comes first."""
    from tbprof.html_report.outstanding_windows import outstanding_windows

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
    from tbprof.views.job.rank_summary import rank_summary

    summary = rank_summary(report, window.worker, rank_of(window.worker), window.order_ns)
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
