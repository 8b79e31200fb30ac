"""The ranks above one another on one axis of time, down to one collective.

Clocks differ: each rank's times are moved by what the ends of its collectives tell. No figure depends on it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from tbprof.analysis.collectives import bus_factor
from tbprof.job.arrivals import NOBODY, Arrivals
from tbprof.job.rank_record import Message, RankRecord
from tbprof.job.what_if_times import JobAnalysis
from tbprof.records import dataclass
from tbprof.views.job.job_page import IdlePart, JobCollective, JobMeeting, RankStrip, StripStep, StripStretch
from tbprof.views.job.rank_rows import idle_parts
from tbprof.views.steady import us

MOST_MEETINGS = 512
"""Collectives that are drawn: more are hairlines, and what is sent has to stay small."""

MOST_STRIPS = 32
"""Ranks that are drawn, the latest and who is on time."""

_Place = tuple[int, int]
"""Position of a group among the matched ones, and of a collective in it."""


@dataclass(frozen=True, slots=True)
class Meetings:
    rows: tuple[JobMeeting, ...]
    number: Mapping[_Place, int]
    """Index of each into `rows`."""
    origin_ns: int
    """The origin of the axis, on the first rank's clock."""


def meetings_of(analysis: JobAnalysis, records: Sequence[RankRecord]) -> Meetings:
    """The meetings by step and end."""
    place_of = {late.step: at for at, late in enumerate(analysis.late)}
    origin = min((record.begin_ns - _offset(analysis, at) for at, record in enumerate(records)), default=0)
    found = [
        (place_of[step], end - origin, group, index)
        for group, arrivals in enumerate(analysis.arrivals)
        for index, (step, end) in enumerate(
            zip(arrivals.step.tolist(), _ends(analysis, arrivals, records), strict=True)
        )
    ]
    found.sort()
    kept = found[:MOST_MEETINGS]
    rows = (_meeting(analysis.arrivals[group], index, records, step, end) for step, end, group, index in kept)
    number = {(group, index): at for at, (_, _, group, index) in enumerate(kept)}
    return Meetings(tuple(rows), number, origin)


def strips_of(
    analysis: JobAnalysis, records: Sequence[RankRecord], late_us: Sequence[float], meetings: Meetings
) -> tuple[RankStrip, ...]:
    """In the order of the ranks; one whose clock is not known can't be drawn above the others."""
    known = [at for at in range(len(records)) if analysis.clocks[at] is not None]
    latest = sorted(known, key=lambda at: (-late_us[at], at))[:MOST_STRIPS]
    return tuple(_strip(analysis, records[at], at, meetings) for at in sorted(latest))


def _offset(analysis: JobAnalysis, rank: int) -> int:
    clock = analysis.clocks[rank]
    return 0 if clock is None else clock.offset_ns


def _ends(analysis: JobAnalysis, arrivals: Arrivals, records: Sequence[RankRecord]) -> list[int]:
    """In the median of the ranks, on the first one's clock."""
    ends = [
        records[rank].end_ns[at] - _offset(analysis, rank)
        for rank, at in zip(arrivals.group.ranks, arrivals.group.at.T, strict=True)
    ]
    return [round(end) for end in np.median(np.stack(ends), axis=0).tolist()]


def _meeting(
    arrivals: Arrivals, index: int, records: Sequence[RankRecord], step: int, end_ns: int
) -> JobMeeting:
    group = arrivals.group
    record = records[group.ranks[0]]
    message = record.messages[int(record.message[group.at[index, 0]])]
    late = int(arrivals.late[index])
    waits = arrivals.wait_ns[index]
    return JobMeeting(
        kind=message.kind,
        group=message.group,
        bytes=message.bytes,
        step=step,
        ranks=len(group.ranks),
        end_us=us(end_ns),
        transfer_us=us(int(arrivals.transfer_ns[index].min())),
        skew_us=us(int(waits.max())),
        wait_us=us(int(waits.sum())),
        late_rank=None if late == NOBODY else group.ranks[late],
        late_us=us(int(arrivals.late_ns[index])),
    )


def _strip(analysis: JobAnalysis, record: RankRecord, rank: int, meetings: Meetings) -> RankStrip:
    move = _offset(analysis, rank) + meetings.origin_ns
    stretches = _stretches(analysis, record, rank, meetings, move)
    place_of = {late.step: at for at, late in enumerate(analysis.late)}
    shown = meetings.rows[-1].step if meetings.rows else -1
    ends = {
        place_of[step]: us(int(record.end_ns[record.step == step].max()) - move)
        for step in np.unique(record.step).tolist()
        if place_of.get(step, shown + 1) <= shown
    }
    return RankStrip(
        rank=rank,
        begin_us=us(record.begin_ns - move),
        steps=tuple(StripStep(step, end) for step, end in ends.items()),
        stretches=tuple(stretches),
    )


def _stretches(
    analysis: JobAnalysis, record: RankRecord, rank: int, meetings: Meetings, move: int
) -> Iterator[StripStretch]:
    matched = {
        at: (place, int(analysis.arrivals[place[0]].wait_ns[place[1], column]))
        for group, arrivals in enumerate(analysis.arrivals)
        if rank in arrivals.group.ranks
        for column in [arrivals.group.ranks.index(rank)]
        for index, at in enumerate(arrivals.group.at[:, column].tolist())
        for place in [(group, index)]
    }
    shown = [at for at, (place, _) in matched.items() if place in meetings.number]
    begin = record.begin_ns
    for at in range(max(shown, default=-1) + 1):
        start, end = int(record.start_ns[at]), int(record.end_ns[at])
        place, wait = matched.get(at, (None, 0))
        begin = min(begin, start)
        yield StripStretch(
            meetings.number.get(place) if place is not None else None,
            us(begin - move),
            us(start - move),
            us(end - move),
            us(wait),
            *_filled(record, at, start - begin),
        )
        begin = max(begin, end)


def _filled(record: RankRecord, at: int, length_ns: int) -> tuple[float, float, float, tuple[IdlePart, ...]]:
    """Computing, other communication, copying and idle that fill the time since the collective before.

    The stretch begins earlier, with the start of one before: what computed beneath that is left out.
    """
    group = record.group(at)
    entries = slice(int(record.part_begin[at]), int(record.part_begin[at + 1]))
    sums: Counter[tuple[str, str]] = Counter()
    for part, ns in zip(record.part[entries].tolist(), record.part_ns[entries].tolist(), strict=True):
        one = record.parts[part]
        if one.family != "communication" or one.within != group:
            sums[one.family, one.cause] += ns
    computing = sums.pop(("computing", ""), 0)
    others = sum(sums.values())
    computing = max(min(computing, length_ns - others), 0)
    scale = min((length_ns - computing) / others, 1.0) if others else 0.0
    ns_of = {key: round(ns * scale) for key, ns in sums.items()}
    idle = {cause: ns for (family, cause), ns in ns_of.items() if family == "idle"}
    exchanging, copying = ns_of.get(("communication", ""), 0), ns_of.get(("copying", ""), 0)
    return us(computing), us(exchanging), us(copying), idle_parts(idle, 1)


def job_collectives(
    analysis: JobAnalysis, records: Sequence[RankRecord], world_size: int | None
) -> tuple[JobCollective, ...]:
    """The collectives by kind, group and size, those first that take longest. Where no group was recorded it
    is of

    Where no group was recorded it is of `world_size` ranks, whichever of them are here.
    """
    found = [row for arrivals in analysis.arrivals for row in _of_group(arrivals, records, world_size)]
    return tuple(sorted(found, key=lambda row: (-row.total_us, row.kind, row.group, row.bytes or 0)))


def _of_group(
    arrivals: Arrivals, records: Sequence[RankRecord], world_size: int | None
) -> list[JobCollective]:
    record, at = records[arrivals.group.ranks[0]], arrivals.group.at[:, 0]
    indexes: defaultdict[Message, list[int]] = defaultdict(list)
    for index, message in enumerate(record.message[at].tolist()):
        indexes[record.messages[message]].append(index)
    size = len(arrivals.group.ranks)
    if not arrivals.group.group and world_size is not None:
        size = max(size, world_size)
    return [_row(message, arrivals, size, np.array(mine)) for message, mine in indexes.items()]


def _row(
    message: Message, arrivals: Arrivals, size: int, mine: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> JobCollective:
    ranks = arrivals.group.ranks
    transfer, wait, late = arrivals.transfer_ns[mine], arrivals.wait_ns[mine], arrivals.late[mine]
    one_rank_ns = int(transfer.min(axis=1).sum())
    algorithm = message.bytes * len(mine) / one_rank_ns if message.bytes and one_rank_ns else None
    factor = bus_factor(message.kind, message.group_size or size)
    latest = Counter(late[late != NOBODY].tolist())
    most = max(latest, key=lambda rank: (latest[rank], -rank), default=None)
    return JobCollective(
        kind="send" if message.kind == "recv" else message.kind,
        group=message.group,
        bytes=message.bytes,
        count=len(mine),
        ranks=len(ranks),
        total_us=us(int((transfer + wait).sum())),
        transfer_us=us(int(transfer.sum())),
        arrival_wait_us=us(int(wait.sum())),
        shortest_us=us(int(transfer.min())),
        skew_us=us(int(wait.max(axis=1).sum())) / len(mine),
        algorithm_gb_s=algorithm,
        bus_gb_s=None if algorithm is None or factor is None else algorithm * factor,
        latest=None if most is None else ranks[most],
        latest_in=0 if most is None else latest[most],
    )
