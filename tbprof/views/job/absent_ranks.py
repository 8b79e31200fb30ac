"""The ranks of a job that are not compared, each counted once, whatever is known of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from tbprof.records import dataclass
from tbprof.texts.job.notes import missing_note, other_windows_note, unnumbered_note
from tbprof.texts.job.rank_names import rank_name, unrecorded_name
from tbprof.views.job.job_page import RankProblem, UnreadRank
from tbprof.views.job.rank_summary import RankSummary


@dataclass(frozen=True, slots=True)
class AbsentRanks:
    names: tuple[str, ...]
    """What they are called; those of which nothing tells the number share a name."""
    count: int
    missing: tuple[int, ...]
    """Numbers that no window of the job tells, unless windows that tell none are enough to be theirs."""
    notes: tuple[str, ...]
    """What is to be said of these numbers."""


def absent_ranks(
    ranks: Sequence[RankSummary],
    problems: Sequence[RankProblem],
    reading: Sequence[UnreadRank],
    *,
    world_size: int | None,
    elsewhere: Collection[int],
) -> AbsentRanks:
    """Who of the world is not among those that gave collectives.

    A window that tells no number of this world is that of a rank which seems to be missing.

    Args:
        ranks: Those that gave collectives.
        problems: Those that gave none.
        reading: Those that may give one yet.
        world_size: As the ranks recorded it; else the highest number tells how many there are at the least.
        elsewhere: The numbers of ranks of other trainings in the same folder.
    """
    left_out: list[RankProblem | UnreadRank] = [*problems, *reading]
    here = [(one.rank, one.worker) for one in (*ranks, *left_out)]
    there = {rank for rank, _ in here if rank is not None}
    size = max((rank + 1 for rank in there), default=0) if world_size is None else world_size
    free = [rank for rank in range(size) if rank not in there]
    strayed = [rank for rank in free if rank in elsewhere]
    silent = [rank for rank in free if rank not in elsewhere]
    unnumbered = [worker for rank, worker in here if rank is None or not 0 <= rank < size]
    lacking = max(len(silent) - len(unnumbered), 0)
    numbered = free if not unnumbered else strayed
    is_known = not (reading and unnumbered)
    return AbsentRanks(
        names=(
            *(rank_name(rank, "") for rank in numbered),
            *([unrecorded_name(lacking)] if unnumbered and lacking else ()),
            *(rank_name(one.rank, one.worker) for one in left_out),
        ),
        count=len(strayed) + lacking + len(left_out),
        missing=tuple(free if lacking and is_known else strayed),
        notes=tuple(_notes(strayed, silent if is_known else (), unnumbered)),
    )


def _notes(strayed: Sequence[int], silent: Sequence[int], unnumbered: Sequence[str]) -> Iterator[str]:
    if silent:
        yield unnumbered_note(silent, unnumbered) if unnumbered else missing_note(silent)
    if strayed:
        yield other_windows_note(strayed)
