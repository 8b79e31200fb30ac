"""What the pickers show: the runs of a log directory, their workers and windows."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["RunRow", "RunsView", "SkippedRow", "WindowRow", "WorkerRow"]


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
    skipped: tuple[SkippedRow, ...]
