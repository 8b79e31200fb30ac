"""The table of a job's matched collectives: what was transfer, and what was waiting for the last rank."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from tbprof.analysis.communication.collectives import bus_factor
from tbprof.job.ranks.arrivals import NOBODY, Arrivals
from tbprof.job.ranks.job_analysis import JobAnalysis
from tbprof.job.ranks.rank_record import Message, RankRecord
from tbprof.views.base.times import us
from tbprof.views.job.job_page import JobCollective


def job_collectives(
    analysis: JobAnalysis, records: Sequence[RankRecord], world_size: int | None
) -> tuple[JobCollective, ...]:
    """By kind, group and size, those that take longest first.

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
