"""The one sentence about a job."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from tbprof.job.arrivals import NOBODY
from tbprof.job.what_if_times import JobAnalysis
from tbprof.records import dataclass
from tbprof.texts.job import (
    absent_sentence,
    alone_detail,
    alone_sentence,
    also_late_sentence,
    even_sentence,
    exchange_sentence,
    few_matched_sentence,
    in_turn_sentence,
    late_name,
    late_sentence,
    least_waiting_sentence,
    no_collectives_sentence,
    none_matched_sentence,
    waiting_sentence,
)
from tbprof.views.job.job_page import JobFix, JobRank, LateCause, RankWait
from tbprof.views.job.late_causes import phrase_of
from tbprof.views.job.rank_rows import AbsentRanks

_MOST = 0.5
"""The share of all lateness below which a rank is one of several that are late in turn."""

_MOST_OF_TWO = 0.65
"""The same where only two are late: one of them always has half."""

_EXCHANGES = 0.3
_HARDLY = 0.25
"""The share of a step from which the exchange itself comes first; from this part of it on, waiting does."""

_CLEARLY = 0.15
"""The part of a step that one rank waits less than every other, where collectives cannot be matched."""

_MOST_MATCHED = 0.75
"""The share of all collectives below which the first sentence says on how many it stands."""


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
    kind: str,
    recorded: int,
    absent: AbsentRanks,
) -> JobVerdict:
    """The verdict, from the rows that stand below it.

    Args:
        ranks: One entry a rank whose collectives are known.
        waits: Who of them waits for whom.
        late: Who of them is late.
        plan: What a step gains.
        analysis: Of the same ranks.
        kind: Of the collectives that take longest.
        recorded: How many ranks have a window, with collectives or without.
        absent: Ranks of the job of which there is no window, or none that could be read.
    """
    if recorded == len(ranks) == 1:
        return JobVerdict(alone_sentence(ranks[0].name), alone_detail(), None)
    if len(ranks) < 2:
        return JobVerdict(no_collectives_sentence(recorded), "", None)
    if not analysis.arrivals:
        return JobVerdict(_by_their_steps(none_matched_sentence(len(ranks)), ranks), "", None)
    unmatched = [rank.name for rank in ranks if rank.transfer_us is None]
    names, absent_count = [*absent.names, *unmatched], absent.count + len(unmatched)
    waits_us = sum(rank.arrival_wait_us or 0.0 for rank in ranks)
    total = sum(rank.transfer_us or 0.0 for rank in ranks) + waits_us
    waiting = waits_us / total if total else 0.0
    detail = waiting_sentence(waiting, analysis.matching.matched_count)
    sentence, saved = _sentence(ranks, waits, late, plan, absent_count, analysis, kind)
    matched, of = analysis.matching.matched_count, analysis.matching.longest_count
    if matched < _MOST_MATCHED * of:
        sentence = few_matched_sentence(sentence, matched, of)
    hedge = absent_sentence(names, absent_count) if names else ""
    return JobVerdict(sentence, " ".join(one for one in (hedge, detail, saved) if one), waiting)


def _sentence(
    ranks: Sequence[JobRank],
    waits: Sequence[RankWait],
    late: Sequence[LateCause],
    plan: Sequence[JobFix],
    absent: int,
    analysis: JobAnalysis,
    kind: str,
) -> tuple[str, str]:
    """Who is late, and who else, or what a step gains without that."""
    lateness = _lateness(analysis)
    compared = sum(rank.transfer_us is not None for rank in ranks)
    of = compared + absent
    exchange, waits_share = _exchange_share(ranks), _share_of_step(ranks)
    if exchange > _EXCHANGES and waits_share < _HARDLY * exchange:
        return exchange_sentence(compared, of, exchange, kind, waits_share), ""
    if not lateness:
        return even_sentence(compared, of, _share_of_step(ranks)), ""
    rank, late_us = max(lateness.items(), key=lambda one: (one[1], -one[0]))
    if late_us < (_MOST if len(lateness) > 2 else _MOST_OF_TWO) * sum(lateness.values()):
        most, share = _common_cause(late)
        return in_turn_sentence(compared, of, _share_of_step(ranks), most, share), ""
    cause = next((one for one in late if one.rank == rank), late[0])
    waiting = _share_for(rank, cause.also_late, ranks, waits)
    others = [ranks[other].name for other in cause.also_late]
    sentence = late_sentence(
        compared, of, waiting, ranks[rank].name, others, late_us, cause.due_us, phrase_of(cause)
    )
    besides = [one for one in late if one.rank not in (rank, *cause.also_late)]
    said = also_late_sentence(
        [late_name(ranks[one.rank].name, [ranks[other].name for other in one.also_late]) for one in besides],
        [one.late_us for one in besides],
        [phrase_of(one) for one in besides],
    )
    saved = next((row.detail for row in plan if row.cause == late.index(cause)), "")
    return sentence, " ".join(part for part in (said if besides else "", saved) if part)


def _lateness(analysis: JobAnalysis) -> Mapping[int, float]:
    """How late each rank was in a mean step, in us."""
    found: defaultdict[int, float] = defaultdict(float)
    for late in analysis.late:
        for one in (late, *late.others):
            if one.rank != NOBODY:
                found[one.rank] += one.late_ns / len(analysis.late) / 1000
    return found


def _share_for(
    rank: int, also_late: Sequence[int], ranks: Sequence[JobRank], waits: Sequence[RankWait]
) -> float | None:
    """The share of a step of the others that is waiting for it; what computing covers is not counted."""
    shares = []
    by_rank = {wait.waiting: wait.wait_us for wait in waits if wait.awaited == rank}
    for at, other in enumerate(ranks):
        if at != rank and at not in also_late and other.step_us and other.transfer_us is not None:
            shares.append(_exposed(by_rank.get(at, 0.0), other) / other.step_us)
    return sum(shares) / len(shares) if shares else None


def _exchange_share(ranks: Sequence[JobRank]) -> float:
    """What of a step is transfer that no computing covers, in the mean, at least."""
    steps_us = exposed_us = 0.0
    for rank in ranks:
        if rank.step_us and rank.arrival_wait_us is not None and rank.communication_exposed_us is not None:
            steps_us += rank.step_us
            exposed_us += max(rank.communication_exposed_us - rank.arrival_wait_us, 0.0)
    return exposed_us / steps_us if steps_us else 0.0


def _by_their_steps(sentence: str, ranks: Sequence[JobRank]) -> str:
    """Who waits least, where one rank clearly does."""
    shares = [
        rank.communication_exposed_us / rank.step_us
        for rank in ranks
        if rank.step_us and rank.communication_exposed_us is not None
    ]
    if len(shares) < len(ranks):
        return sentence
    least, second, *_ = sorted(shares)
    if second - least < _CLEARLY:
        return sentence
    at = shares.index(least)
    others = [share for other, share in enumerate(shares) if other != at]
    return least_waiting_sentence(sentence, ranks[at].name, least, others)


def _common_cause(late: Sequence[LateCause]) -> tuple[str, float]:
    """Where each rank is late now and then, what they have in common says more than who."""
    causes: defaultdict[str, float] = defaultdict(float)
    for cause in late:
        causes[cause.cause_name] += cause.due_us
    most = max(causes, key=lambda name: (causes[name], name))
    return most.lower(), causes[most] / sum(cause.late_us for cause in late)


def _share_of_step(ranks: Sequence[JobRank]) -> float:
    """What of a step is waiting for whoever comes last, in the mean; what computing covers is not counted."""
    steps_us = exposed_us = 0.0
    for rank in ranks:
        if rank.step_us and rank.arrival_wait_us is not None:
            steps_us += rank.step_us
            exposed_us += _exposed(rank.arrival_wait_us, rank)
    return exposed_us / steps_us if steps_us else 0.0


def _exposed(wait_us: float, rank: JobRank) -> float:
    """What of a wait no computing covers, at most; all of it where that was not recorded."""
    exposed_us = rank.communication_exposed_us
    return wait_us if exposed_us is None else min(wait_us, exposed_us)
