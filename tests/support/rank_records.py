"""Records of ranks in a few words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tbprof.job.rank_record import NOT_RECORDED, Message, Part, RankRecord

_ALL_REDUCE = Message("all_reduce", "world", 1024)


@dataclass(frozen=True)
class Collective:
    """One collective; what came before it is told in parts, in ns."""

    start_ns: int
    duration_ns: int
    before: Mapping[Part, int] = field(default_factory=dict)
    message: Message = _ALL_REDUCE
    number: int = NOT_RECORDED
    step: int = 0
    count: int = 0
    """Of kernels in each computing part."""
    elements: int = NOT_RECORDED


def rank_record(rank: int, collectives: Sequence[Collective]) -> RankRecord:
    """The record of a rank whose window begins at 0 and whose host was not recorded."""
    messages = list(dict.fromkeys(one.message for one in collectives))
    parts = list(dict.fromkeys(part for one in collectives for part in one.before))
    entries = [
        (parts.index(part), ns, one.count, one.elements)
        for one in collectives
        for part, ns in one.before.items()
    ]
    columns = np.array(entries, np.int64).reshape(-1, 4).T
    return RankRecord(
        rank=rank,
        begin_ns=0,
        messages=tuple(messages),
        message=np.array([messages.index(one.message) for one in collectives], np.int64),
        number=np.array([one.number for one in collectives], np.int64),
        step=np.array([one.step for one in collectives], np.int64),
        start_ns=np.array([one.start_ns for one in collectives], np.int64),
        duration_ns=np.array([one.duration_ns for one in collectives], np.int64),
        launched_ns=np.full(len(collectives), NOT_RECORDED, np.int64),
        host_wait_ns=np.zeros(len(collectives), np.int64),
        parts=tuple(parts),
        part_begin=np.cumsum([0, *(len(one.before) for one in collectives)]),
        part=columns[0],
        part_ns=columns[1],
        part_count=columns[2],
        part_work=columns[3],
    )
