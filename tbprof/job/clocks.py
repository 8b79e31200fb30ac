"""Whether the clocks of ranks agree, and which of their collectives the ranks leave one by one.

Ranks leave most collectives within microseconds of each other. So where the ends of enough of two ranks'
collectives are equally far apart, that is what their clocks differ by, and the other ends can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tbprof.job.matching import MatchedGroup
from tbprof.job.rank_record import Int64s, RankRecord

Bools: TypeAlias = npt.NDArray[np.bool_]

_TOGETHER_NS = 10_000
"""Ends that differ no more than this from the clocks' difference are those of ranks that leave together."""

_SHARE_TOGETHER = 0.2
"""The share of the collectives that must end so for the clocks to be known; `_LEAST` of them at the least."""

_LEAST = 3

_NEARLY_AS_MANY = 0.8
"""A smaller difference that explains nearly as many ends is that of the clocks: ranks of one host share
theirs."""

_APART_SHARE = 0.05
"""The share of the longest row by which ends must lie apart, and `_APART_NS` at the least."""

_APART_NS = 50_000
"""Clocks of different hosts drift by as much within a window."""


@dataclass(frozen=True, slots=True, eq=False)
class AgreedClocks:
    """What to subtract from the times of each rank of a group, to have them on the first one's clock."""

    offset_ns: Int64s


def agreed_clocks(
    groups: Sequence[MatchedGroup], records: Sequence[RankRecord]
) -> tuple[AgreedClocks | None, ...]:
    """The clocks of each group, by all groups that two ranks share; None where ends do not tell."""
    ends = [_ends(group, records) for group in groups]
    return tuple(_agreed(group, groups, ends) for group in groups)


def leaves_apart(group: MatchedGroup, records: Sequence[RankRecord], clocks: AgreedClocks | None) -> Bools:
    """Whether the ranks leave each collective one by one; False where nobody knows."""
    if clocks is None:
        return np.zeros(len(group.at), np.bool_)
    ends = _ends(group, records) - clocks.offset_ns
    columns = zip(group.ranks, group.at.T, strict=True)
    longest = np.stack([records[rank].duration_ns[at] for rank, at in columns], axis=1).max(axis=1)
    apart: Bools = np.ptp(ends, axis=1) > np.maximum(_APART_SHARE * longest, _APART_NS)
    return apart


def _ends(group: MatchedGroup, records: Sequence[RankRecord]) -> Int64s:
    columns = zip(group.ranks, group.at.T, strict=True)
    return np.stack([records[rank].end_ns[at] for rank, at in columns], axis=1)


def _agreed(
    group: MatchedGroup, groups: Sequence[MatchedGroup], ends: Sequence[Int64s]
) -> AgreedClocks | None:
    base = group.ranks[0]
    shared = [
        (dict(zip(other.ranks, some.T, strict=True)))
        for other, some in zip(groups, ends, strict=True)
        if base in other.ranks
    ]
    found = [0]
    for rank in group.ranks[1:]:
        apart = np.concatenate([some[rank] - some[base] for some in shared if rank in some])
        difference = clock_difference(apart)
        if difference is None:
            return None
        found.append(difference)
    return AgreedClocks(np.array(found, np.int64))


def clock_difference(apart: Int64s) -> int | None:
    """What the ends of enough collectives of two ranks are equally far apart; None where they are not."""
    ordered = np.sort(apart)
    upto = np.searchsorted(ordered, ordered + _TOGETHER_NS, side="right")
    number = upto - np.arange(len(ordered))
    most = int(number.max(initial=0))
    if most < max(_LEAST, _SHARE_TOGETHER * len(ordered)):
        return None
    at = np.flatnonzero(number >= _NEARLY_AS_MANY * most)
    middles = ordered[(at + upto[at] - 1) // 2]
    return int(middles[np.abs(middles).argmin()])


_WITHIN = (5, 95)
"""Percentiles between which the spread lies."""


@dataclass(frozen=True, slots=True)
class ClockOffset:
    """What to subtract from a rank's times to have them on the first rank's clock. For drawing only."""

    offset_ns: int
    spread_ns: int
    """Half the range that holds nine tenths of the estimates: the error."""
    collectives: int
    """The number of collectives that it was estimated from."""


def clock_offsets(
    groups: Sequence[MatchedGroup], records: Sequence[RankRecord]
) -> tuple[ClockOffset | None, ...]:
    """The offset of each record; None for one that shares no group with the first matched, not even through
    others.
    """
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
    ends = _ends(group, records)
    base, anchor = next(
        (column, known) for column, rank in enumerate(group.ranks) if (known := found[rank]) is not None
    )
    apart = np.stack([_within(column) for column in (ends - ends[:, [base]]).T], axis=1)
    for rank, (low, middle, high) in zip(group.ranks, apart.T.tolist(), strict=True):
        if found[rank] is None:
            found[rank] = ClockOffset(
                offset_ns=anchor.offset_ns + round(middle),
                spread_ns=anchor.spread_ns + round((high - low) / 2),
                collectives=len(ends),
            )


def _within(apart: Int64s) -> npt.NDArray[np.float64]:
    """Low, middle and high, of ranks that leave together where enough do."""
    agreed = clock_difference(apart)
    if agreed is not None:
        apart = apart[np.abs(apart - agreed) <= _TOGETHER_NS]
    found: npt.NDArray[np.float64] = np.percentile(apart, (_WITHIN[0], 50, _WITHIN[1]))
    return found
