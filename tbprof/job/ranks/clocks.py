"""How far the clocks of ranks differ, from the ends of their collectives: all leave one together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tbprof.job.ranks.matching import MatchedGroup
from tbprof.job.ranks.rank_record import RankRecord

_WITHIN = (5, 95)
"""Percentiles between which the spread lies."""


@dataclass(frozen=True, slots=True)
class ClockOffset:
    """What to subtract from a rank's times to have them on the first rank's clock. For drawing only."""

    offset_ns: int
    spread_ns: int
    """Half the range that holds nine tenths of the estimates: the error."""
    collectives: int
    """From how many it was estimated."""


def clock_offsets(
    groups: Sequence[MatchedGroup], records: Sequence[RankRecord]
) -> tuple[ClockOffset | None, ...]:
    """Of each record; None for one that shares no group with the first matched, not even through others."""
    found: list[ClockOffset | None] = [None] * len(records)
    if records:
        found[min((rank for group in groups for rank in group.ranks), default=0)] = ClockOffset(0, 0, 0)
    # From the largest group on: fewer steps from one clock to another.
    pending = sorted(groups, key=lambda group: -group.at.size)
    while reached := next((group for group in pending if _leads_on(group, found)), None):
        pending.remove(reached)
        _extend(reached, records, found)
    return tuple(found)


def _leads_on(group: MatchedGroup, found: Sequence[ClockOffset | None]) -> bool:
    known = [found[rank] is not None for rank in group.ranks]
    return any(known) and not all(known)


def _extend(group: MatchedGroup, records: Sequence[RankRecord], found: list[ClockOffset | None]) -> None:
    ends = np.stack(
        [records[rank].end_ns[at] for rank, at in zip(group.ranks, group.at.T, strict=True)], axis=1
    )
    base, anchor = next(
        (column, known) for column, rank in enumerate(group.ranks) if (known := found[rank]) is not None
    )
    apart = np.percentile(ends - ends[:, [base]], (_WITHIN[0], 50, _WITHIN[1]), axis=0)
    for rank, (low, middle, high) in zip(group.ranks, apart.T.tolist(), strict=True):
        if found[rank] is None:
            found[rank] = ClockOffset(
                offset_ns=anchor.offset_ns + round(middle),
                spread_ns=anchor.spread_ns + round((high - low) / 2),
                collectives=len(ends),
            )
