"""Which ranks of the runs of a folder are missing or damaged, from windows one after the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from tbprof.file_names import rank_of
from tbprof.model import Report, Window
from tbprof.texts.screens.series import damaged_sentence, missing_sentence
from tbprof.views.series.series import missing_ranks

__all__ = ["RunRanks"]


@dataclass(slots=True)
class _Run:
    ranks: set[int] = field(default_factory=set)
    damaged: set[int] = field(default_factory=set)
    world_size: int = 0


class RunRanks:
    """Keeps a few numbers of each rank, and no report."""

    def __init__(self) -> None:
        self._runs: defaultdict[str, _Run] = defaultdict(_Run)

    def add(self, window: Window, report: Report | None) -> None:
        """Count a window; no report is one that could not be read."""
        rank = rank_of(window.worker)
        run = self._runs[window.run]
        if report is not None:
            rank = report.trace.rank if rank is None else rank
            run.world_size = max(run.world_size, report.trace.world_size or 0)
        if rank is None:
            return
        run.ranks.add(rank)
        if report is not None and report.trace.is_damaged:
            run.damaged.add(rank)

    def sentences(self) -> Iterator[tuple[str, str]]:
        """Of each run with several ranks, with its name: what is to be known of them."""
        for name, run in self._runs.items():
            if len(run.ranks) < 2:
                continue
            missing = missing_ranks(run.ranks, run.world_size)
            for sentence in (damaged_sentence(sorted(run.damaged)), missing_sentence(missing)):
                if sentence:
                    yield name, sentence
