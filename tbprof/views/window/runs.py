"""What the pickers show: the runs of a log directory, their workers and windows."""

from __future__ import annotations

from itertools import groupby

from tbprof.file_names import rank_of
from tbprof.model import SkippedFile, Window
from tbprof.records import dataclass
from tbprof.texts.findings.left_out import skipped_sentence

__all__ = ["RunRow", "RunsVersion", "RunsView", "SkippedRow", "WindowRow", "WorkerRow", "runs_view"]


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
    newest_run: str | None
    """Where a visitor without an address arrives: the run that recorded last."""
    skipped: tuple[SkippedRow, ...]


@dataclass(frozen=True, slots=True)
class RunsVersion:
    version: str
    """Changes with the windows of the log directory: a tab asks for it each second."""


def runs_view(
    logdir: str,
    version: str,
    windows: tuple[Window, ...],
    skipped: tuple[SkippedFile, ...],
) -> RunsView:
    """What the pickers show; `windows` come by run, worker and time."""
    newest = max(windows, key=lambda window: window.order_ns, default=None)
    return RunsView(
        logdir=logdir,
        tbprof_version=version,
        runs=tuple(
            RunRow(run, tuple(_workers(list(of_run))))
            for run, of_run in groupby(windows, key=lambda window: window.run)
        ),
        newest_run=None if newest is None else newest.run,
        skipped=tuple(SkippedRow(file.path, skipped_sentence(file.reason)) for file in skipped),
    )


def _workers(windows: list[Window]) -> list[WorkerRow]:
    """By rank where the names tell it, else by name."""
    rows = [
        WorkerRow(worker, rank_of(worker), tuple(_window(window) for window in of_worker))
        for worker, of_worker in groupby(windows, key=lambda window: window.worker)
    ]
    return sorted(rows, key=lambda row: (row.rank is None, row.rank or 0, row.worker))


def _window(window: Window) -> WindowRow:
    return WindowRow(window.window, window.report_path is not None, window.size_bytes)
