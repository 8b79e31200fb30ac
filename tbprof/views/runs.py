"""What the pickers show: the runs of a log directory, their workers and windows."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby, pairwise
from types import MappingProxyType

from tbprof.file_names import rank_of, run_family
from tbprof.model import SkippedFile, Window
from tbprof.records import dataclass
from tbprof.texts.finding_notes import skipped_sentence
from tbprof.views.steady import is_credible

WINDOWS_OF_A_PAGE = 1_000
"""Some 130 kB: no answer holds up others for long."""

_MOST_SKIPPED = 500
_MOST_FAILED = 500


@dataclass(frozen=True, slots=True)
class WindowRow:
    window: str
    """Its id, to be given back as the parameter `window`."""
    has_report: bool
    """Whether it opens at once; else its trace is read first."""
    size_bytes: int


@dataclass(frozen=True, slots=True)
class WorkerRow:
    worker: str
    rank: int | None
    windows: tuple[WindowRow, ...]
    """Oldest first."""


@dataclass(frozen=True, slots=True)
class RunRow:
    run: str
    family: str
    """The same of runs that are taken to be of one program."""
    workers: tuple[WorkerRow, ...]


@dataclass(frozen=True, slots=True)
class SkippedRow:
    path: str
    reason: str
    """A sentence."""


@dataclass(frozen=True, slots=True)
class RunsView:
    logdir: str
    tbprof_version: str
    runs: tuple[RunRow, ...]
    without_windows: tuple[str, ...]
    """Runs that failed before they recorded one, and left where memory ran out; with the first page."""
    newest_run: str | None
    """Where a visitor without an address arrives: the run that recorded, or failed, last."""
    skipped: tuple[SkippedRow, ...]
    """With the first page."""
    next_page: int | None
    """The parameter `page` that gives the runs after these; null with the last ones."""
    version: str
    """Pages of another version belong to another list."""
    has_session: bool
    """Whether notes of people and agents lie beside it."""


@dataclass(frozen=True, slots=True)
class RunsVersion:
    version: str
    """Changes with the windows of the log directory: a tab asks for it each second."""
    content: str | None
    """Changes with the files of the window that is asked about; null where there is none."""


def runs_view(
    logdir: str,
    tbprof_version: str,
    windows: Sequence[Window],
    skipped: Sequence[SkippedFile],
    without_windows: Mapping[str, int] = MappingProxyType({}),
    *,
    page: int = 0,
    version: str = "",
    has_session: bool = False,
) -> RunsView:
    """One page of what the pickers show; `windows` come by run, worker and time.

    A page ends with the run that has its `WINDOWS_OF_A_PAGE`th window. `without_windows` are the runs that
    failed before they had one, with the time of that in ns.
    """
    begins = _pages(windows)
    first, after = (begins[page], [*begins, len(windows)][page + 1]) if page < len(begins) else (0, 0)
    return RunsView(
        logdir=logdir,
        tbprof_version=tbprof_version,
        runs=tuple(
            RunRow(run, run_family(run), tuple(_workers(list(of_run))))
            for run, of_run in groupby(windows[first:after], key=lambda window: window.run)
        ),
        without_windows=tuple(sorted(without_windows)[:_MOST_FAILED]) if page == 0 else (),
        newest_run=_newest_run(windows, without_windows),
        skipped=_skipped(skipped) if page == 0 else (),
        next_page=page + 1 if page + 1 < len(begins) else None,
        version=version,
        has_session=has_session,
    )


def _newest_run(windows: Sequence[Window], without_windows: Mapping[str, int]) -> str | None:
    # What a clock that was wrong dated ahead would hold the first place for ever.
    rank = partial(_rank, time.time_ns())
    newest = max(windows, key=lambda window: rank(window.order_ns), default=None)
    failed = max(without_windows.items(), key=lambda run: rank(run[1]), default=None)
    if newest is None or (failed is not None and rank(failed[1]) > rank(newest.order_ns)):
        return None if failed is None else failed[0]
    return newest.run


def _rank(now_ns: int, time_ns: int) -> tuple[bool, int]:
    return is_credible(time_ns, now_ns), time_ns


def _pages(windows: Sequence[Window]) -> list[int]:
    """The place of the first window of each page."""
    begins = [0] if windows else []
    for at, (before, window) in enumerate(pairwise(windows), start=1):
        if window.run != before.run and at - begins[-1] >= WINDOWS_OF_A_PAGE:
            begins.append(at)
    return begins


def _skipped(files: Sequence[SkippedFile]) -> tuple[SkippedRow, ...]:
    rows = tuple(
        SkippedRow(file.path, skipped_sentence(file.reason, in_tab=True)) for file in files[:_MOST_SKIPPED]
    )
    more = len(files) - len(rows)
    return rows if more == 0 else (*rows, SkippedRow(f"{more:,} more files", "too many to name them"))


def _workers(windows: list[Window]) -> list[WorkerRow]:
    """The workers by rank where the names have it, else by name."""
    rows = [
        WorkerRow(worker, rank_of(worker), tuple(_window(window) for window in of_worker))
        for worker, of_worker in groupby(windows, key=lambda window: window.worker)
    ]
    return sorted(rows, key=lambda row: (row.rank is None, row.rank or 0, row.worker))


def _window(window: Window) -> WindowRow:
    return WindowRow(window.window, window.report_path is not None, window.size_bytes)
