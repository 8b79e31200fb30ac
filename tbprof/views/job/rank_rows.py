"""The ranks of a job with their five parts, and who of them waits for whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from tbprof.job.arrivals import NOBODY
from tbprof.job.clocks import ClockOffset
from tbprof.job.rank_record import RankRecord
from tbprof.job.what_if_times import JobAnalysis
from tbprof.records import dataclass
from tbprof.texts.idle import cause_name
from tbprof.texts.job import (
    after_last_name,
    job_cause_name,
    missing_note,
    other_windows_note,
    rank_name,
    unnumbered_note,
    unrecorded_name,
)
from tbprof.views.idle_causes import stacking_place
from tbprof.views.job.job_page import IdlePart, JobRank, RankProblem, RankWait, UnreadRank
from tbprof.views.job.rank_summary import RankSummary
from tbprof.views.steady import us

MOST_WAITS = 4096
"""Cells of who waits for whom, the longest: all of 64 ranks."""


def rank_rows(ranks: Sequence[RankSummary], analysis: JobAnalysis) -> tuple[JobRank, ...]:
    """In the order of the ranks."""
    steps = max(len(analysis.late), 1)
    transfer, wait, late, latest = (np.zeros(len(ranks), np.int64) for _ in range(4))
    for arrivals in analysis.arrivals:
        members = np.array(arrivals.group.ranks)
        waited = arrivals.net_wait_ns.sum(axis=0)
        transfer[members] += arrivals.net_ns.sum(axis=0) - waited
        wait[members] += waited
        late[members] += (arrivals.is_late * arrivals.net_late_ns[:, None]).sum(axis=0)
        latest[members] += arrivals.is_late.sum(axis=0)
    columns = zip(transfer.tolist(), wait.tolist(), late.tolist(), latest.tolist(), strict=True)
    matched = analysis.matching.ranks
    return tuple(
        _row(rank, clock, steps, figures if at in matched else None)
        for at, (rank, clock, figures) in enumerate(zip(ranks, analysis.clocks, columns, strict=True))
    )


def rank_waits(analysis: JobAnalysis) -> tuple[RankWait, ...]:
    """Longest first."""
    steps = max(len(analysis.late), 1)
    found: Counter[tuple[int, int]] = Counter()
    for arrivals in analysis.arrivals:
        members = arrivals.group.ranks
        for late in np.unique(arrivals.late).tolist():
            waits = arrivals.net_wait_ns[arrivals.late == late].sum(axis=0).tolist()
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
    """The idle by cause, in the order of the other screens."""
    return tuple(
        IdlePart(
            cause, cause_name(cause) if cause != "python" else job_cause_name("idle", cause, None), ns_us
        )
        for cause in sorted(idle_ns, key=stacking_place)
        if (ns_us := us(idle_ns[cause]) / steps)
    )


def _row(
    rank: RankSummary, clock: ClockOffset | None, steps: int, matched: tuple[int, int, int, int] | None
) -> JobRank:
    parts = _of_host(rank, rank.record) if rank.on == "host" and rank.record is not None else _of_device(rank)
    step_us, computing_us, exposed_us, copying_us, idle = parts
    if rank.is_damaged and (idle_us := sum(part.idle_us for part in idle)):
        # Of a trace that ends early, what it lacks would be taken for what the host did not do.
        idle = (IdlePart("unknown", cause_name("unknown"), idle_us),)
    transfer_us, wait_us, late_us = (None,) * 3 if matched is None else (us(ns) / steps for ns in matched[:3])
    return JobRank(
        rank=rank.rank,
        worker=rank.worker,
        name=rank_name(rank.rank, rank.worker, is_damaged=rank.is_damaged),
        step_us=step_us,
        computing_us=computing_us,
        communication_exposed_us=exposed_us,
        copying_us=copying_us,
        idle=idle,
        transfer_us=transfer_us,
        arrival_wait_us=wait_us,
        late_us=late_us,
        latest_in=None if matched is None else matched[3],
        clock_offset_us=None if clock is None else us(clock.offset_ns),
        clock_error_us=None if clock is None else us(clock.spread_ns),
    )


_Parts = tuple[float | None, float | None, float | None, float | None, tuple[IdlePart, ...]]


def _of_device(rank: RankSummary) -> _Parts:
    steps = max(rank.steps, 1)
    known = (rank.step_ns, rank.computing_ns, rank.exposed_ns, rank.copying_ns)
    step, computing, exposed, copying = (None if ns is None else us(ns) / steps for ns in known)
    return step, computing, exposed, copying, idle_parts(dict(rank.idle_ns), steps)


def _of_host(rank: RankSummary, record: RankRecord) -> _Parts:
    """The host's part of its steps, of which nothing tells what came after the last collective; nothing with
    several
    """
    groups = {message.group for message in record.messages}
    seen_ns = int(record.end_ns[-1]) - record.begin_ns
    steps = rank.steps or len(np.unique(record.step))
    total_ns = max(rank.step_ns or 0, seen_ns)
    total = us(total_ns) / steps
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
    rest = (
        (IdlePart("unknown", after_last_name(), us(total_ns - seen_ns) / steps),)
        if total_ns > seen_ns
        else ()
    )
    return total, computing, exposed, copying, (*idle_parts(dict(idle), steps), *rest)


@dataclass(frozen=True, slots=True)
class AbsentRanks:
    names: tuple[str, ...]
    """What they are called; those of which nothing tells the number share a name."""
    count: int
    missing: tuple[int, ...]
    """Numbers that no window of the job tells, unless windows that tell none are enough to be theirs."""
    notes: tuple[str, ...]
    """What is to be said of these numbers."""


def absent_ranks(
    ranks: Sequence[RankSummary],
    problems: Sequence[RankProblem],
    reading: Sequence[UnreadRank],
    *,
    world_size: int | None,
    elsewhere: Collection[int],
) -> AbsentRanks:
    """Who of the world is not among those that gave collectives.

    A window that tells no number of this world is that of a rank which seems to be missing.

    Args:
        ranks: Those that gave collectives.
        problems: Those that gave none.
        reading: Those that may give one yet.
        world_size: As the ranks recorded it; else the highest number tells how many there are at the least.
        elsewhere: The numbers of ranks of other trainings in the same folder.
    """
    left_out: list[RankProblem | UnreadRank] = [*problems, *reading]
    here = [(one.rank, one.worker) for one in (*ranks, *left_out)]
    there = {rank for rank, _ in here if rank is not None}
    size = max((rank + 1 for rank in there), default=0) if world_size is None else world_size
    free = [rank for rank in range(size) if rank not in there]
    strayed = [rank for rank in free if rank in elsewhere]
    silent = [rank for rank in free if rank not in elsewhere]
    unnumbered = [worker for rank, worker in here if rank is None or not 0 <= rank < size]
    lacking = max(len(silent) - len(unnumbered), 0)
    numbered = free if not unnumbered else strayed
    is_known = not (reading and unnumbered)
    return AbsentRanks(
        names=(
            *(rank_name(rank, "") for rank in numbered),
            *([unrecorded_name(lacking)] if unnumbered and lacking else ()),
            *(rank_name(one.rank, one.worker) for one in left_out),
        ),
        count=len(strayed) + lacking + len(left_out),
        missing=tuple(free if lacking and is_known else strayed),
        notes=tuple(_notes(strayed, silent if is_known else (), unnumbered)),
    )


def _notes(strayed: Sequence[int], silent: Sequence[int], unnumbered: Sequence[str]) -> Iterator[str]:
    if silent:
        yield unnumbered_note(silent, unnumbered) if unnumbered else missing_note(silent)
    if strayed:
        yield other_windows_note(strayed)
