"""How long ranks waited in their collectives for the last to arrive, and who that was.

All ranks leave a collective together, so that who arrives last has the shortest row, and waits for nobody. No
clock takes part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tbprof.job.matching import MatchedGroup
from tbprof.job.rank_record import Int64s, RankRecord

NOBODY = -1

SAME_SHARE = 0.02
SAME_NS = 5_000
"""A rank is late only if its row is shorter than the next by more than both: below that it is noise."""


@dataclass(frozen=True, slots=True, eq=False)
class Arrivals:
    """The arrivals in one group; arrays have the shape (collectives, ranks) or (collectives)."""

    group: MatchedGroup
    step: Int64s
    transfer_ns: Int64s
    """The transfer by rank: all the same, but for a send."""
    wait_ns: Int64s
    """The wait by rank; with the transfer it is the row's duration."""
    net_ns: Int64s
    """What a row of each rank adds to the rows before it that it overlaps, of any group."""
    net_wait_ns: Int64s
    """The same of the waits: buckets that wait side by side for one rank wait once."""
    is_late: npt.NDArray[np.bool_]
    """Who comes last: one rank, or up to half of them that come together."""
    late: Int64s
    """Position in the group of the first of those, or `NOBODY`."""
    late_ns: Int64s
    """How late: the median wait of the others."""
    net_late_ns: Int64s
    """What that adds to the lateness of the collectives before."""


def arrivals_of(groups: Sequence[MatchedGroup], records: Sequence[RankRecord]) -> tuple[Arrivals, ...]:
    """Divide the duration of every matched collective of each group."""
    divided = [_divided(group, records) for group in groups]
    starts = [_starts(group, records) for group in groups]
    net = _net(groups, starts, [transfer + wait for transfer, wait in divided])
    net_wait = _net(groups, starts, [wait for _, wait in divided])
    return tuple(
        _arrivals(group, records, *both, net[at], net_wait[at])
        for at, (group, both) in enumerate(zip(groups, divided, strict=True))
    )


def _starts(group: MatchedGroup, records: Sequence[RankRecord]) -> Int64s:
    columns = zip(group.ranks, group.at.T, strict=True)
    return np.stack([records[rank].start_ns[at] for rank, at in columns], axis=1)


def _divided(group: MatchedGroup, records: Sequence[RankRecord]) -> tuple[Int64s, Int64s]:
    """Transfer and wait."""
    columns = [(records[rank], at) for rank, at in zip(group.ranks, group.at.T, strict=True)]
    duration = np.stack([record.duration_ns[at] for record, at in columns], axis=1)
    sends = np.stack([_is_send(record)[record.message[at]] for record, at in columns], axis=1)
    shortest = np.broadcast_to(duration.min(axis=1, keepdims=True), duration.shape)
    # A send may be buffered: only who receives is known to wait.
    transfer = np.where(sends, duration, shortest)
    return transfer, duration - transfer


def _arrivals(
    group: MatchedGroup,
    records: Sequence[RankRecord],
    transfer: Int64s,
    wait: Int64s,
    net: Int64s,
    net_wait: Int64s,
) -> Arrivals:
    is_late = _latest(transfer + wait) & (wait.sum(axis=1) > 0)[:, None]
    is_anybody = is_late.any(axis=1)
    first = records[group.ranks[0]]
    return Arrivals(
        group=group,
        step=first.step[group.at[:, 0]],
        transfer_ns=transfer,
        wait_ns=wait,
        net_ns=net,
        net_wait_ns=net_wait,
        is_late=is_late,
        late=np.where(is_anybody, is_late.argmax(axis=1), NOBODY),
        late_ns=np.where(is_anybody, _median_of_others(wait, is_late), 0),
        net_late_ns=np.where(is_anybody, _median_of_others(net_wait, is_late), 0),
    )


def _latest(duration: Int64s) -> npt.NDArray[np.bool_]:
    """The ranks with the shortest rows, if a gap parts them from the others and they are half of all at most.

    A whole node, or all ranks of a pipeline stage, come late together.
    """
    ordered = np.sort(duration, axis=1)
    is_gap = np.diff(ordered, axis=1) > _noise(ordered[:, 1:])
    number = is_gap.argmax(axis=1) + 1
    last = np.take_along_axis(ordered, number[:, None] - 1, axis=1)
    is_one = last - ordered[:, :1] <= _noise(last)
    is_few = number <= max(duration.shape[1] // 2, 1)
    found: npt.NDArray[np.bool_] = duration <= last
    found &= is_gap.any(axis=1, keepdims=True) & is_one & is_few[:, None]
    return found


def _noise(duration: Int64s) -> npt.NDArray[np.float64]:
    noise: npt.NDArray[np.float64] = np.maximum(SAME_SHARE * duration, SAME_NS)
    return noise


def _net(groups: Sequence[MatchedGroup], starts: Sequence[Int64s], lengths: Sequence[Int64s]) -> list[Int64s]:
    """What each interval of a rank adds to those of the same rank that begin before it."""
    if len(groups) == 1:
        return [_added(starts[0], lengths[0])]
    found = [np.empty_like(length) for length in lengths]
    for rank in {rank for group in groups for rank in group.ranks}:
        mine = [(at, group.ranks.index(rank)) for at, group in enumerate(groups) if rank in group.ranks]
        start = np.concatenate([starts[at][:, column] for at, column in mine])
        order = np.argsort(start, kind="stable")
        added = np.empty_like(start)
        added[order] = _added(
            start[order, None], np.concatenate([lengths[at][:, column] for at, column in mine])[order, None]
        )[:, 0]
        begin = 0
        for at, column in mine:
            found[at][:, column] = added[begin : begin + len(found[at])]
            begin += len(found[at])
    return found


def _added(start: Int64s, length: Int64s) -> Int64s:
    """What each interval adds, in order of their start; shape (intervals, ranks)."""
    end = start + length
    covered = np.maximum.accumulate(end, axis=0)[:-1]
    added: Int64s = length.copy()
    added[1:] = np.maximum(end[1:] - np.maximum(start[1:], covered), 0)
    return added


def _is_send(record: RankRecord) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array([message.kind == "send" for message in record.messages], bool)


def _median_of_others(wait: Int64s, is_late: npt.NDArray[np.bool_]) -> Int64s:
    median = np.nanmedian(np.where(is_late, np.nan, wait), axis=1)
    found: Int64s = np.rint(median).astype(np.int64)
    return found


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
