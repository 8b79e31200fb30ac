"""How long ranks waited in their collectives for the last to arrive, and who that was.

Where all ranks leave a collective together, who arrives last has the shortest row, and waits for nobody: no
clock takes part. Where clocks are known to agree and the ranks leave one by one, as an exchange of all with
all may let them, a rank waits until the last one is there, and what comes after that is transfer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tbprof.job.clocks import AgreedClocks, Bools, agreed_clocks, leaves_apart
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
    """The transfer by rank: all the same, but for a send, and where ranks leave one by one."""
    wait_ns: Int64s
    """The wait by rank; with the transfer it is the row's duration."""
    net_ns: Int64s
    """What a row of each rank adds to the rows before it that it overlaps, of any group."""
    net_wait_ns: Int64s
    """The same of the waits: buckets that wait side by side for one rank wait once."""
    is_late: Bools
    """Who comes last: one rank, or up to half of them that come together."""
    late: Int64s
    """Position in the group of the first of those, or `NOBODY`."""
    late_ns: Int64s
    """How late: the median wait of the others."""
    net_late_ns: Int64s
    """What that adds to the lateness of the collectives before."""
    left_late_ns: Int64s
    """How much later than half of the others each rank left; 0 where all leave together."""


def arrivals_of(groups: Sequence[MatchedGroup], records: Sequence[RankRecord]) -> tuple[Arrivals, ...]:
    """Divide the duration of every matched collective of each group."""
    starts = [_starts(group, records) for group in groups]
    clocks = agreed_clocks(groups, records)
    apart = [leaves_apart(group, records, clock) for group, clock in zip(groups, clocks, strict=True)]
    given = list(zip(groups, clocks, apart, strict=True))
    divided = [_divided(group, records, clock, some) for group, clock, some in given]
    net = _net(groups, starts, [transfer + wait for transfer, wait in divided])
    net_wait = _net(groups, starts, [wait for _, wait in divided])
    return tuple(
        _arrivals(
            group, records, *both, net[at], net_wait[at], _left_late(group, records, clocks[at], apart[at])
        )
        for at, (group, both) in enumerate(zip(groups, divided, strict=True))
    )


def _starts(group: MatchedGroup, records: Sequence[RankRecord]) -> Int64s:
    columns = zip(group.ranks, group.at.T, strict=True)
    return np.stack([records[rank].start_ns[at] for rank, at in columns], axis=1)


def _divided(
    group: MatchedGroup, records: Sequence[RankRecord], clocks: AgreedClocks | None, apart: Bools
) -> tuple[Int64s, Int64s]:
    """Transfer and wait."""
    columns = [(records[rank], at) for rank, at in zip(group.ranks, group.at.T, strict=True)]
    duration = np.stack([record.duration_ns[at] for record, at in columns], axis=1)
    sends = np.stack([_is_send(record)[record.message[at]] for record, at in columns], axis=1)
    shortest = np.broadcast_to(duration.min(axis=1, keepdims=True), duration.shape)
    # A send may be buffered: only who receives is known to wait.
    transfer = np.where(sends, duration, shortest)
    if clocks is not None:
        start = _starts(group, records) - clocks.offset_ns
        after_last = duration - np.clip(start.max(axis=1, keepdims=True) - start, 0, duration)
        transfer = np.where(apart[:, None] & ~sends, after_last, transfer)
    return transfer, duration - transfer


def _left_late(
    group: MatchedGroup, records: Sequence[RankRecord], clocks: AgreedClocks | None, apart: Bools
) -> Int64s:
    if clocks is None:
        return np.zeros(group.at.shape, np.int64)
    columns = zip(group.ranks, group.at.T, strict=True)
    end = np.stack([records[rank].end_ns[at] for rank, at in columns], axis=1) - clocks.offset_ns
    # The lower one of two: of two ranks the later one left later than all others.
    usual = np.sort(end, axis=1)[:, [(end.shape[1] - 1) // 2]]
    found: Int64s = np.where(apart[:, None], np.maximum(end - usual, 0), 0)
    return found


def _arrivals(
    group: MatchedGroup,
    records: Sequence[RankRecord],
    transfer: Int64s,
    wait: Int64s,
    net: Int64s,
    net_wait: Int64s,
    left_late: Int64s,
) -> Arrivals:
    # Where ranks leave one by one the shortest row need not be that of the last to come.
    row = np.where((left_late > 0).any(axis=1, keepdims=True), wait, transfer + wait)
    is_late = _latest(row) & (wait.sum(axis=1) > 0)[:, None]
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
        left_late_ns=left_late,
    )


def _latest(duration: Int64s) -> Bools:
    """The ranks with the shortest rows, if a gap parts them from the others and they are half of all at most.

    A whole node, or all ranks of a pipeline stage, come late together.
    """
    ordered = np.sort(duration, axis=1)
    is_gap = np.diff(ordered, axis=1) > _noise(ordered[:, 1:])
    number = is_gap.argmax(axis=1) + 1
    last = np.take_along_axis(ordered, number[:, None] - 1, axis=1)
    is_one = last - ordered[:, :1] <= _noise(last)
    is_few = number <= max(duration.shape[1] // 2, 1)
    found: Bools = duration <= last
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


def _median_of_others(wait: Int64s, is_late: Bools) -> Int64s:
    median = np.nanmedian(np.where(is_late, np.nan, wait), axis=1)
    found: Int64s = np.rint(median).astype(np.int64)
    return found
