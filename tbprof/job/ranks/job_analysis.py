"""All that the records of a job's ranks say together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tbprof.job.ranks.arrivals import Arrivals, arrivals_of
from tbprof.job.ranks.blame import Blame, blames_of
from tbprof.job.ranks.clocks import ClockOffset, clock_offsets
from tbprof.job.ranks.late_ranks import LateRank, late_ranks
from tbprof.job.ranks.matching import Matching, match_ranks
from tbprof.job.ranks.rank_record import RankRecord
from tbprof.job.ranks.step_estimates import StepEstimates, estimate_steps
from tbprof.job.ranks.stretches import stretches_of


@dataclass(frozen=True, slots=True, eq=False)
class JobAnalysis:
    """Positions of ranks are those in the list of records."""

    matching: Matching
    arrivals: tuple[Arrivals, ...]
    """One entry a matched group, as the next one."""
    blames: tuple[tuple[Blame, ...], ...]
    late: tuple[LateRank, ...]
    """One entry a step."""
    estimates: StepEstimates | None
    """None where nothing was matched."""
    clocks: tuple[ClockOffset | None, ...]


def analyze_ranks(records: Sequence[RankRecord]) -> JobAnalysis:
    """Match the ranks of a job, and find whom they waited for, and why."""
    matching = match_ranks(records)
    arrivals = arrivals_of(matching.groups, records)
    stretches = tuple(stretches_of(group, records) for group in matching.groups)
    blames = tuple(map(blames_of, arrivals, stretches))
    late = late_ranks(arrivals, stretches, blames)
    return JobAnalysis(
        matching=matching,
        arrivals=arrivals,
        blames=blames,
        late=late,
        estimates=estimate_steps(arrivals, stretches, blames, late, records) if arrivals else None,
        clocks=clock_offsets(matching.groups, records),
    )
