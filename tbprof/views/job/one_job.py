"""Which of the ranks that lie together are of one training, each once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tbprof.texts.job.notes import other_training_note, same_rank_note
from tbprof.texts.job.rank_names import rank_name
from tbprof.views.job.rank_summary import RankSummary


def ranks_of_one_job(ranks: Sequence[RankSummary]) -> tuple[list[RankSummary], list[str]]:
    """Those of the world that most ranks are of, and a note on each other one.

    A folder that traces were copied into, or two trainings wrote to, may hold ranks of several, or one under
    two names.

    Args:
        ranks: By rank; of two with the same one the first is taken.
    """
    worlds = Counter(rank.world_size for rank in ranks if rank.world_size is not None)
    world = max(worlds, key=lambda size: (worlds[size], size), default=None)
    taken: list[RankSummary] = []
    notes: list[str] = []
    workers: dict[int, str] = {}
    for rank in ranks:
        if rank.world_size is not None and world is not None and rank.world_size != world:
            notes.append(other_training_note(rank.worker, rank.world_size, world))
        elif rank.rank is not None and rank.rank in workers:
            notes.append(same_rank_note(rank.worker, workers[rank.rank], rank_name(rank.rank, rank.worker)))
        else:
            taken.append(rank)
            if rank.rank is not None:
                workers[rank.rank] = rank.worker
    return taken, notes
