"""What a recording of a simulated rank says: its record, as a rank's report holds it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from job_program import Collective, Copy, Job, Kernel
from simulated_job import HostSpan, RankRun, Row

from tbprof.job.rank_record import NOT_RECORDED, Message, Part, RankRecord

_CAUSES = {"loader": "data", "after sync": "sync", "gc": "launch", "python": "launch"}
_PRIORITY = ("loader", "after sync", "gc", "python")
_QUEUED = Part("idle", "queued")

_Piece = tuple[int, int, Part, Row | None]


def records_of(job: Job, runs: tuple[RankRun, ...]) -> tuple[RankRecord, ...]:
    """One record a rank, of the steps after the warm-up, each on its rank's clock."""
    return tuple(_record(job, rank, run) for rank, run in enumerate(runs))


def _record(job: Job, rank: int, run: RankRun) -> RankRecord:
    rows = [row for row in run.rows if row.step >= job.warm_up]
    before = max((row.end_ns for row in run.rows if row.step < job.warm_up), default=0)
    begin = min(rows[0].start_ns, max(before, run.steps[job.warm_up]))
    collectives = sorted(
        (row for row in rows if isinstance(row.action, Collective)), key=lambda row: row.start_ns
    )
    end = collectives[-1].start_ns
    pieces = list(_pieces(run, begin, end))
    messages = list(dict.fromkeys(_message(job, row) for row in collectives))
    parts: dict[Part, int] = {}
    entries: list[tuple[int, int, int, int]] = []
    begins = [0]
    previous: dict[str, int] = defaultdict(lambda: begin)
    for row in collectives:
        group = _message(job, row).group
        for part, (ns, count, elements) in _between(pieces, previous[group], row.start_ns).items():
            work = elements if job.records_shapes and part.family == "computing" else NOT_RECORDED
            entries.append((parts.setdefault(part, len(parts)), ns, count, work))
        begins.append(len(entries))
        previous[group] = row.start_ns
    columns = np.array(entries, np.int64).reshape(-1, 4).T
    clock = job.clock_ns[rank]
    return RankRecord(
        rank=rank,
        begin_ns=begin + clock,
        messages=tuple(messages),
        message=np.array([messages.index(_message(job, row)) for row in collectives], np.int64),
        number=np.array([_number(job, row) for row in collectives], np.int64),
        step=np.array([row.step for row in collectives], np.int64),
        start_ns=np.array([row.start_ns + clock for row in collectives], np.int64),
        duration_ns=np.array([row.end_ns - row.start_ns for row in collectives], np.int64),
        launched_ns=np.array([row.launched_ns + clock for row in collectives], np.int64),
        host_wait_ns=np.diff([row.waited_ns for row in collectives], prepend=rows[0].waited_ns),
        parts=tuple(parts),
        part_begin=np.array(begins, np.int64),
        part=columns[0],
        part_ns=columns[1],
        part_count=columns[2],
        part_work=columns[3],
    )


def _message(job: Job, row: Row) -> Message:
    assert isinstance(row.action, Collective)
    return Message(row.action.kind, row.action.group, row.action.bytes, len(job.groups[row.action.group]))


def _number(job: Job, row: Row) -> int:
    assert isinstance(row.action, Collective)
    return row.action.number if job.records_numbers else NOT_RECORDED


def _pieces(run: RankRun, begin: int, end: int) -> Iterator[_Piece]:
    """What the device did at each moment: computing before communication before copying, else idle."""
    order = {Kernel: 0, Collective: 1, Copy: 2}
    rows = [row for row in run.rows if row.end_ns > begin and row.start_ns < end]
    edges = sorted(
        {begin, end, *(edge for row in rows for edge in (row.start_ns, row.end_ns) if begin < edge < end)}
    )
    starting = sorted(rows, key=lambda row: row.start_ns)
    running: list[Row] = []
    at = 0
    for left, right in pairwise(edges):
        while at < len(starting) and starting[at].start_ns <= left:
            running.append(starting[at])
            at += 1
        running = [row for row in running if row.end_ns > left]
        if running:
            row = min(running, key=lambda one: (order[type(one.action)], one.start_ns))
            yield left, right, _part_of(row), row
        else:
            yield from _idle(run.host, left, right)


def _part_of(row: Row) -> Part:
    action = row.action
    if isinstance(action, Kernel):
        return Part("computing", "", action.op, action.module)
    if isinstance(action, Collective):
        return Part("communication", "", action.kind, action.group)
    return Part("copying")


def _idle(host: list[HostSpan], left: int, right: int) -> Iterator[_Piece]:
    """By what the host was in: the loader first, then what followed a sync, then other work."""
    spans = [span for span in host if span.end_ns > left and span.start_ns < right]
    edges = sorted(
        {
            left,
            right,
            *(edge for span in spans for edge in (span.start_ns, span.end_ns) if left < edge < right),
        }
    )
    for begin, end in pairwise(edges):
        over = [span for span in spans if span.start_ns <= begin and span.end_ns >= end]
        span = min(over, key=lambda one: _PRIORITY.index(one.kind), default=None)
        yield begin, end, _QUEUED if span is None else Part("idle", _CAUSES[span.kind], span.line), None


def _between(pieces: list[_Piece], begin: int, end: int) -> dict[Part, tuple[int, int, int]]:
    found: dict[Part, tuple[int, int, int]] = {}
    for left, right, part, row in pieces:
        if right <= begin or left >= end:
            continue
        ns, count, elements = found.get(part, (0, 0, 0))
        ns += min(right, end) - max(left, begin)
        if row is not None and isinstance(row.action, Kernel) and row.start_ns == left >= begin:
            count, elements = count + 1, elements + row.action.elements
        found[part] = (ns, count, elements)
    return found
