"""The ranks of a job with their five parts, and who of them waits for whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from tbprof.job.ranks.arrivals import NOBODY
from tbprof.job.ranks.clocks import ClockOffset
from tbprof.job.ranks.job_analysis import JobAnalysis
from tbprof.job.ranks.rank_record import RankRecord
from tbprof.texts.screens.idle import cause_name
from tbprof.texts.screens.job import job_cause_name, rank_name
from tbprof.views.base.times import us
from tbprof.views.job.job_page import IdlePart, JobRank, RankWait
from tbprof.views.job.rank_summary import RankSummary
from tbprof.views.overview.idle_causes import stacking_place

__all__ = ["MOST_WAITS", "idle_parts", "rank_rows", "rank_waits"]

MOST_WAITS = 4096
"""Cells of who waits for whom, the longest: all of 64 ranks."""


def rank_rows(ranks: Sequence[RankSummary], analysis: JobAnalysis) -> tuple[JobRank, ...]:
    """In the order of the ranks."""
    steps = max(len(analysis.late), 1)
    transfer, wait, late, latest = (np.zeros(len(ranks), np.int64) for _ in range(4))
    for arrivals in analysis.arrivals:
        members = np.array(arrivals.group.ranks)
        transfer[members] += arrivals.transfer_ns.sum(axis=0)
        wait[members] += arrivals.wait_ns.sum(axis=0)
        known = arrivals.late != NOBODY
        np.add.at(late, members[arrivals.late[known]], arrivals.late_ns[known])
        np.add.at(latest, members[arrivals.late[known]], 1)
    columns = zip(transfer.tolist(), wait.tolist(), late.tolist(), latest.tolist(), strict=True)
    return tuple(
        _row(rank, clock, steps, *figures)
        for rank, clock, figures in zip(ranks, analysis.clocks, columns, strict=True)
    )


def rank_waits(analysis: JobAnalysis) -> tuple[RankWait, ...]:
    """Longest first."""
    steps = max(len(analysis.late), 1)
    found: Counter[tuple[int, int]] = Counter()
    for arrivals in analysis.arrivals:
        members = arrivals.group.ranks
        for late in np.unique(arrivals.late).tolist():
            waits = arrivals.wait_ns[arrivals.late == late].sum(axis=0).tolist()
            awaited = NOBODY if late == NOBODY else members[late]
            for rank, ns in zip(members, waits, strict=True):
                found[rank, awaited] += ns
    cells = sorted(found.items(), key=lambda one: (-one[1], one[0]))[:MOST_WAITS]
    return tuple(
        RankWait(rank, None if awaited == NOBODY else awaited, us(ns) / steps)
        for (rank, awaited), ns in cells
        if ns
    )


def idle_parts(idle_ns: dict[str, int], steps: int) -> tuple[IdlePart, ...]:
    """By cause, in the order of the other screens."""
    return tuple(
        IdlePart(
            cause, cause_name(cause) if cause != "python" else job_cause_name("idle", cause, None), ns_us
        )
        for cause in sorted(idle_ns, key=stacking_place)
        if (ns_us := us(idle_ns[cause]) / steps)
    )


def _row(
    rank: RankSummary, clock: ClockOffset | None, steps: int, transfer: int, wait: int, late: int, latest: int
) -> JobRank:
    parts = _of_host(rank.record) if rank.on == "host" and rank.record is not None else _of_device(rank)
    step_us, computing_us, exposed_us, copying_us, idle = parts
    return JobRank(
        rank=rank.rank,
        worker=rank.worker,
        name=rank_name(rank.rank, rank.worker),
        step_us=step_us,
        computing_us=computing_us,
        communication_exposed_us=exposed_us,
        copying_us=copying_us,
        idle=idle,
        transfer_us=us(transfer) / steps,
        arrival_wait_us=us(wait) / steps,
        late_us=us(late) / steps,
        latest_in=latest,
        clock_offset_us=None if clock is None else us(clock.offset_ns),
        clock_error_us=None if clock is None else us(clock.spread_ns),
    )


_Parts = tuple[float | None, float | None, float | None, float | None, tuple[IdlePart, ...]]


def _of_device(rank: RankSummary) -> _Parts:
    steps = max(rank.steps, 1)
    known = (rank.step_ns, rank.computing_ns, rank.exposed_ns, rank.copying_ns)
    step, computing, exposed, copying = (None if ns is None else us(ns) / steps for ns in known)
    return step, computing, exposed, copying, idle_parts(dict(rank.idle_ns), steps)


def _of_host(record: RankRecord) -> _Parts:
    """From the begin of its window to the end of its last collective; nothing where it has several groups."""
    groups = {message.group for message in record.messages}
    steps = len(np.unique(record.step))
    total = us(int(record.end_ns[-1]) - record.begin_ns) / steps
    if len(groups) > 1:
        return total, None, None, None, ()
    sums: Counter[str] = Counter()
    idle: Counter[str] = Counter()
    for part, ns in zip(record.part.tolist(), record.part_ns.tolist(), strict=True):
        one = record.parts[part]
        sums[one.family] += ns
        if one.family == "idle":
            idle[one.cause] += ns
    # What came after the last collective began is that collective.
    sums["communication"] += int(record.end_ns[-1] - record.start_ns[-1])
    computing, exposed, copying = (
        us(sums[family]) / steps for family in ("computing", "communication", "copying")
    )
    return total, computing, exposed, copying, idle_parts(dict(idle), steps)
