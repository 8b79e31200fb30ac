"""The ranks of the runs of a folder that are missing or damaged, from windows one after the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from tbprof.file_names import rank_of
from tbprof.model import Report, Window
from tbprof.texts.series import behind_sentence, damaged_sentence, missing_sentence
from tbprof.views.outstanding import newest_window
from tbprof.views.series_views import missing_ranks


@dataclass(slots=True)
class _Run:
    ranks: dict[str, int] = field(default_factory=dict)
    """The ranks by worker."""
    windows: list[Window] = field(default_factory=list)
    damaged: set[int] = field(default_factory=set)
    world_size: int = 0


class RunRanks:
    """Keeps a few numbers of each rank and where its windows are, and no report."""

    def __init__(self) -> None:
        self._runs: defaultdict[str, _Run] = defaultdict(_Run)

    def add(self, window: Window, report: Report | None) -> None:
        """Count a window; no report is one that could not be read."""
        rank = rank_of(window.worker)
        run = self._runs[window.run]
        run.windows.append(window)
        if report is not None:
            rank = report.trace.rank if rank is None else rank
            run.world_size = max(run.world_size, report.trace.world_size or 0)
        if rank is None:
            return
        run.ranks[window.worker] = rank
        if report is not None and report.trace.is_damaged:
            run.damaged.add(rank)

    def sentences(self, *, is_part: bool = False) -> Iterator[tuple[str, str]]:
        """What is to be known of each run with several ranks, with its name.

        Of a part of the windows nobody knows who is missing, and one rank may be all that it has of a run.
        """
        for name, run in self._runs.items():
            found = (damaged_sentence(sorted(run.damaged)),) if is_part else _of_whole(run)
            yield from ((name, sentence) for sentence in found if sentence)


def _of_whole(run: _Run) -> tuple[str, ...]:
    ranks = set(run.ranks.values())
    if len(ranks) < 2:
        return ()
    unnumbered = {window.worker for window in run.windows} - run.ranks.keys()
    return (*rank_sentences(ranks, run.damaged, run.world_size, len(unnumbered)), _behind(run))


def rank_sentences(
    ranks: Collection[int], damaged: Collection[int], world_size: int, unnumbered: int
) -> Iterator[str]:
    """Sentences on a run's ranks that are damaged, and on those that are missing beside the ones that are
    there.

    `unnumbered` workers tell no rank, and may be some of the missing ones.
    """
    missing = missing_ranks(ranks, world_size, unnumbered)
    yield from filter(None, (damaged_sentence(sorted(damaged)), missing_sentence(missing)))


def _behind(run: _Run) -> str:
    """What is to be said of ranks without the newest window; workers of earlier trainings have none."""
    last: dict[int, Window] = {}
    for window in run.windows:
        rank = run.ranks.get(window.worker)
        if rank is not None and (rank not in last or window.order_ns > last[rank].order_ns):
            last[rank] = window
    latest = {window.worker for window in last.values()}
    newest = newest_window(window for window in run.windows if window.worker in latest)
    behind = sorted(run.ranks[worker] for worker in newest.lacking)
    return behind_sentence(newest.number, behind, is_arriving=bool(behind) and newest.is_arriving())
