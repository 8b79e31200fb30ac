"""The one sentence about a job."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from tbprof.job.ranks.job_analysis import JobAnalysis
from tbprof.records import dataclass
from tbprof.texts.screens.job import (
    alone_detail,
    alone_sentence,
    even_sentence,
    in_turn_sentence,
    late_sentence,
    no_collectives_sentence,
    none_matched_sentence,
    waiting_sentence,
)
from tbprof.views.job.job_page import JobFix, JobRank, LateCause, RankWait
from tbprof.views.job.late_causes import phrase_of

__all__ = ["JobVerdict", "job_verdict"]

_MOST = 0.5
"""Of all lateness: a rank with less is one of several that are late in turn."""


@dataclass(frozen=True, slots=True)
class JobVerdict:
    sentence: str
    detail: str
    waiting_share: float | None


def job_verdict(
    ranks: Sequence[JobRank],
    waits: Sequence[RankWait],
    late: Sequence[LateCause],
    plan: Sequence[JobFix],
    analysis: JobAnalysis,
    *,
    recorded: int,
) -> JobVerdict:
    """From the rows that stand beneath it; `recorded` ranks have a window, with collectives or without."""
    if recorded == len(ranks) == 1:
        return JobVerdict(alone_sentence(ranks[0].name), alone_detail(), None)
    if len(ranks) < 2:
        return JobVerdict(no_collectives_sentence(recorded), "", None)
    if not analysis.arrivals:
        return JobVerdict(none_matched_sentence(len(ranks)), "", None)
    total = sum(rank.transfer_us + rank.arrival_wait_us for rank in ranks)
    waiting = sum(rank.arrival_wait_us for rank in ranks) / total if total else 0.0
    detail = waiting_sentence(waiting, analysis.matching.matched_count)
    lateness: defaultdict[int, float] = defaultdict(float)
    for cause in late:
        lateness[cause.rank] += cause.late_us
    if not lateness:
        return JobVerdict(even_sentence(len(ranks)), detail, waiting)
    rank, late_us = max(lateness.items(), key=lambda one: (one[1], -one[0]))
    if late_us < _MOST * sum(lateness.values()) and len(lateness) > 2:
        return JobVerdict(_in_turn(ranks, late), detail, waiting)
    cause = next(one for one in late if one.rank == rank)
    share = _share_for(rank, ranks, waits)
    sentence = late_sentence(len(ranks), share, ranks[rank].name, late_us, cause.due_us, phrase_of(cause))
    saved = next((row.detail for row in plan if row.cause == late.index(cause)), "")
    return JobVerdict(sentence, f"{detail} {saved}".strip(), waiting)


def _share_for(rank: int, ranks: Sequence[JobRank], waits: Sequence[RankWait]) -> float | None:
    """Of a step of the others, what is waiting for it; what computing covers is not counted."""
    shares = []
    by_rank = {wait.waiting: wait.wait_us for wait in waits if wait.awaited == rank}
    for at, other in enumerate(ranks):
        if at != rank and other.step_us:
            exposed_us = other.communication_exposed_us
            wait_us = by_rank.get(at, 0.0)
            shares.append((wait_us if exposed_us is None else min(wait_us, exposed_us)) / other.step_us)
    return sum(shares) / len(shares) if shares else None


def _in_turn(ranks: Sequence[JobRank], late: Sequence[LateCause]) -> str:
    """Where each rank is late now and then, what they have in common says more than who."""
    causes: defaultdict[str, float] = defaultdict(float)
    for cause in late:
        causes[cause.cause_name] += cause.late_us
    most = max(causes, key=lambda name: (causes[name], name))
    steps = [rank.step_us for rank in ranks if rank.step_us]
    exposed = [
        min(rank.arrival_wait_us, rank.communication_exposed_us or rank.arrival_wait_us) for rank in ranks
    ]
    share = sum(exposed) / sum(steps) if steps else 0.0
    return in_turn_sentence(len(ranks), share, most.lower(), causes[most] / sum(causes.values()))
