"""The newest window of a run of several workers, and who has none of it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from tbprof.file_names import rank_of
from tbprof.model import Window
from tbprof.records import dataclass
from tbprof.texts.job.rank_names import rank_name

_ARRIVES_WITHIN_S = 120.0
"""Ranks publish the same window within seconds of each other."""


@dataclass(frozen=True, slots=True)
class NewestWindow:
    number: int
    """Its place in line, from 1 on."""
    windows: tuple[Window, ...]
    """Of the workers that have it."""
    lacking: tuple[str, ...]
    """The other workers."""

    def is_arriving(self) -> bool:
        """Whether its last file is so young that those of the others may follow."""
        now_s = time.time()
        return any(now_s - _written_s(window) < _ARRIVES_WITHIN_S for window in self.windows)


def newest_window(windows: Iterable[Window]) -> NewestWindow:
    """Of the windows of a run, at least one, in the order of their time."""
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
    """When; the report may be written anew long after its trace."""
    try:
        return Path(window.trace_path or window.report_path or "").stat().st_mtime
    except OSError:
        return 0.0
