"""The times that ranks would need before their collectives if one of them were not late.

What a step of the job would take without its late rank, and with all ranks level.

A step is from the last matched collective of the one before to its own last; the first begins with the
window.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tbprof.errors import JobError
from tbprof.job.arrivals import NOBODY, Arrivals, arrivals_of
from tbprof.job.blame import UNEXPLAINED, Blame, blames_of
from tbprof.job.clocks import ClockOffset, clock_offsets
from tbprof.job.late_ranks import LateRank, late_ranks
from tbprof.job.matching import Matching, match_ranks
from tbprof.job.rank_record import Int64s, Part, RankRecord
from tbprof.job.replay import Floats
from tbprof.job.stretches import (
    NEVER,
    OwnTimes,
    Stretch,
    Stretches,
    Times,
    collective_ends,
    own_times_of,
    stretches_of,
)


def what_if_times(
    arrivals: Sequence[Arrivals],
    stretches: Sequence[Stretches],
    own: Sequence[OwnTimes],
    blames: Sequence[Sequence[Blame]],
    late: Sequence[LateRank],
) -> tuple[list[Times], list[Times], list[Times], list[Times]]:
    """Four variants, each of all groups.

    Returns:
        Each step's late rank without what made it late; the late rank like the next of the others; every rank
        like the median; every rank with the mean of what all have to compute.
    """
    by_step = {one.step: one for one in late}
    without, like_next, level, balanced = [], [], [], []
    even = _balanced(arrivals, stretches, own)
    for one, group, mine, of_group, device_even in zip(arrivals, stretches, own, blames, even, strict=True):
        device, segments = mine.times.device, _segments(group)
        removed = _without_cause(one, group, device, of_group, by_step)
        shares = _shares(segments, removed, one)
        hosts = _hosts(one, mine.times, by_step)
        without.append(Times(_spread(segments, shares, removed), *hosts))
        next_device = _like_next(one, segments, removed, by_step)
        like_next.append(Times(_spread(segments, shares, next_device), *hosts))
        level.append(Times(_spread(segments, shares, _level(segments, device)), *_level_hosts(*hosts)))
        balanced.append(Times(_spread(segments, shares, device_even), *hosts))
    return without, like_next, level, balanced


def _hosts(arrivals: Arrivals, times: Times, late: dict[int, LateRank]) -> tuple[Int64s, Int64s]:
    """Host and lead, those of a rank that was late for what its host did like the next of the others."""
    host, lead = times.host.copy(), times.lead.copy()
    # Hosts that were ahead when the window began don't stay so where they are slower than the devices.
    lead[0] = np.where(lead[0] == NEVER, NEVER, 0)
    for index, step in enumerate(arrivals.step.tolist()):
        one = late[step]
        if one.rank not in arrivals.group.ranks or one.cause is None or one.cause.family != "idle":
            continue
        columns = _columns(arrivals, one)
        if len(columns) == len(arrivals.group.ranks):
            continue
        most = np.delete(host[index], columns).max()
        for column in columns:
            if host[index, column] == NEVER and _is_after_a_wait(one) and most > NEVER:
                host[index, column], lead[index, column] = most, NEVER
            else:
                host[index, column] = min(host[index, column], max(most, 0))
    return host, lead


def _columns(arrivals: Arrivals, late: LateRank) -> list[int]:
    """The columns of a step's late rank and of those that came together with it."""
    ranks = arrivals.group.ranks
    return [ranks.index(rank) for rank in (late.rank, *late.also_late) if rank in ranks]


def _level_hosts(host: Int64s, lead: Int64s) -> tuple[Int64s, Int64s]:
    middle = np.median(host, axis=1, keepdims=True).astype(np.int64)
    return np.minimum(host, middle), lead


def _segments(stretches: Stretches) -> list[slice]:
    """The segments from one point at which all ranks are level to the next."""
    count = len(stretches.ends_segment)
    edges = np.unique([0, *(np.flatnonzero(stretches.ends_segment) + 1).tolist(), count]).tolist()
    return [slice(begin, end) for begin, end in pairwise(edges)]


def _shares(segments: Sequence[slice], ns: Int64s, arrivals: Arrivals) -> Floats:
    """How a segment's own time is divided between its collectives but the first: as on who waited least.

    Of a rank that waits while it computes on, nobody sees when it was ready for the next one.
    """
    found = np.ones(len(ns))
    for segment in map(_hidden, segments):
        profile = (
            ns[segment, int(arrivals.wait_ns[segment].sum(axis=0).argmin())] if len(found[segment]) else 0
        )
        found[segment] = profile / np.sum(profile) if np.sum(profile) else 1 / max(len(found[segment]), 1)
    return found


def _hidden(segment: slice) -> slice:
    return slice(segment.start + 1, segment.stop)


def _spread(segments: Sequence[slice], shares: Floats, ns: Int64s) -> Int64s:
    found = ns.astype(np.float64)
    for segment in map(_hidden, segments):
        found[segment] = shares[segment, None] * ns[segment].sum(axis=0)
    return np.rint(found).astype(np.int64)


def _without_cause(
    arrivals: Arrivals,
    stretches: Stretches,
    ns: Int64s,
    blames: Sequence[Blame],
    late: dict[int, LateRank],
) -> Int64s:
    found: Int64s = ns.copy()
    # Excesses grow within a segment: each counts from the last level point.
    taken: dict[int, int] = {}
    for blame, ends_segment in zip(blames, stretches.ends_segment.tolist(), strict=True):
        step = late[blame.step]
        if blame.rank == step.rank != NOBODY:
            excess = _of_cause(blame, step)
            more = max(excess - taken.get(blame.rank, 0), 0)
            taken[blame.rank] = max(excess, taken.get(blame.rank, 0))
            columns = _columns(arrivals, step)
            found[blame.index, columns] = np.maximum(ns[blame.index, columns] - more, 0)
        if ends_segment:
            taken = {}
    return found


def _of_cause(blame: Blame, late: LateRank) -> int:
    # What came before the window is in none of its stretches.
    if late.cause is None or late.cause == UNEXPLAINED:
        return 0
    cause = late.cause
    return sum(one.ns for one in blame.excesses if _goes_with(one.part, cause))


def _goes_with(part: Part, cause: Part) -> bool:
    """Idle after a wait, and idle while the code that waited goes on, have one cause."""
    if (part.family, part.cause) == (cause.family, cause.cause):
        return True
    return {part.cause, cause.cause} == {"sync", "launch"} and part.name == cause.name != ""


def _is_after_a_wait(late: LateRank) -> bool:
    cause = late.cause
    return cause is not None and (
        cause.cause == "sync" or any(_goes_with(part, cause) for part in late.by_part if part.cause == "sync")
    )


def _like_next(
    arrivals: Arrivals, segments: Sequence[slice], ns: Int64s, late: dict[int, LateRank]
) -> Int64s:
    found = ns.astype(np.float64)
    for segment in segments:
        one = late[int(arrivals.step[segment][-1])]
        columns = _columns(arrivals, one)
        if one.rank in arrivals.group.ranks and len(columns) < len(arrivals.group.ranks):
            total = ns[segment].sum(axis=0)
            most = int(np.delete(total, columns).max())
            found[segment, columns] *= np.minimum(most / np.maximum(total[columns], 1), 1)
    return np.rint(found).astype(np.int64)


def _level(segments: Sequence[slice], ns: Int64s) -> Int64s:
    found = ns.astype(np.float64)
    for segment in segments:
        total = ns[segment].sum(axis=0)
        # The lower one of two: all can be as fast as half of them are.
        middle = np.sort(total)[(len(total) - 1) // 2]
        found[segment] *= np.divide(middle, total, out=np.ones(len(total)), where=total > 0)
    return np.rint(found).astype(np.int64)


def _balanced(
    arrivals: Sequence[Arrivals], stretches: Sequence[Stretches], own: Sequence[OwnTimes]
) -> list[Int64s]:
    """The times of devices where every rank computes in a step as long as the mean of all, by group.

    What it computes is what it did between the collectives of its largest group; its own times before those
    of all of its groups, which follow one another, become longer or shorter alike.
    """
    computing: defaultdict[int, dict[int, int]] = defaultdict(dict)
    device: Counter[tuple[int, int]] = Counter()
    groups = zip(arrivals, stretches, own, strict=True)
    for one, group, mine in sorted(groups, key=lambda three: -len(three[0].group.ranks)):
        ns = _computing_ns(group)
        for step in np.unique(one.step).tolist():
            at = one.step == step
            totals = ns[at].sum(axis=0).tolist(), mine.times.device[at].sum(axis=0).tolist()
            for rank, computing_ns, device_ns in zip(one.group.ranks, *totals, strict=True):
                computing[step].setdefault(rank, computing_ns)
                device[step, rank] += device_ns
    factor = {
        (step, rank): 1 - (ns - sum(of_step.values()) / len(of_step)) / max(device[step, rank], ns, 1)
        for step, of_step in computing.items()
        for rank, ns in of_step.items()
    }
    return [
        np.rint(
            mine.times.device
            * [[factor.get((step, rank), 1.0) for rank in one.group.ranks] for step in one.step.tolist()]
        ).astype(np.int64)
        for one, mine in zip(arrivals, own, strict=True)
    ]


def _computing_ns(stretches: Stretches) -> Int64s:
    """What each rank computed since the collective before, shape (collectives, ranks)."""
    since_level = np.array([[_computed(stretch) for stretch in ranks] for ranks in stretches.of], np.int64)
    before = np.where(stretches.ends_segment[:-1, None], 0, since_level[:-1])
    found: Int64s = since_level - np.concatenate([np.zeros_like(since_level[:1]), before])
    return found


def _computed(stretch: Stretch) -> int:
    return sum(held.ns for part, held in stretch.items() if part.family == "computing")


MOST_ERROR = 0.05
"""The share of the recorded time: a replay that is further off says nothing."""

ACCURACY = 0.04
"""The share of a step to which a replay without a cause is known. `tests/bench/simulated_jobs.md` shows it
held."""

BALANCE_ACCURACY = 0.06
"""The same of a replay with balanced work, which changes the times of all ranks."""


@dataclass(frozen=True, slots=True)
class StepEstimate:
    """The estimate for one step of the job, in ns."""

    step: int
    recorded_ns: int
    """In the median of the ranks."""
    now_ns: int
    """The length by the replay: of each collective the largest stretch, and the transfer."""
    without_ns: int
    """Without what made the late rank late."""
    ideal_ns: int
    """With every rank's stretch the median."""
    balanced_ns: int
    """With every rank computing as long as the mean of all."""
    balance_floor_ns: int
    """What a step gains at the least if the work is balanced so."""
    balance_ceiling_ns: int
    floor_ns: int
    """What a step gains at the least if the cause is gone."""
    ceiling_ns: int

    @property
    def saving_ns(self) -> int:
        return self.now_ns - self.without_ns


@dataclass(frozen=True, slots=True)
class StepEstimates:
    steps: tuple[StepEstimate, ...]
    """None where the replay does not give what was recorded."""
    error: float | None
    """The error of the replay with recorded durations; None where ranks' orders can't be replayed."""

    @property
    def whole_steps(self) -> tuple[StepEstimate, ...]:
        """Without the first, where there are others: a part of it came before the window."""
        return self.steps[1:] or self.steps


def estimate_steps(
    arrivals: Sequence[Arrivals],
    stretches: Sequence[Stretches],
    blames: Sequence[Sequence[Blame]],
    late: Sequence[LateRank],
    records: Sequence[RankRecord],
) -> StepEstimates:
    """Replay the window with other stretches; each argument but the last two has one entry a group."""
    own = own_times_of(arrivals, stretches, records)
    variants = (
        [_device_only(one.times) for one in own],
        *what_if_times(arrivals, stretches, own, blames, late),
    )
    step = np.concatenate([one.step for one in arrivals])
    steps = np.unique(step)
    recorded = _recorded(arrivals, records, steps)
    try:
        times = _step_times(collective_ends(arrivals, stretches, own, variants), step, steps)
    except JobError:
        return StepEstimates((), None)
    error = float(abs(times[0].sum() / recorded.sum() - 1)) if recorded.sum() else None
    if error is None or error > MOST_ERROR:
        return StepEstimates((), error)
    rows = zip(steps.tolist(), recorded.tolist(), times.T.tolist(), strict=True)
    return StepEstimates(tuple(_estimate(at, ns, *five) for at, ns, five in rows), error)


def _device_only(times: Times) -> Times:
    """What was recorded holds already what the hosts did."""
    never = np.full_like(times.host, NEVER)
    return Times(times.device, never, never)


def _estimate(
    step: int, recorded: float, now: float, own: float, like_next: float, level: float, balanced: float
) -> StepEstimate:
    without = min(own, now)
    least = min(level, like_next, without)
    return StepEstimate(
        step=step,
        recorded_ns=round(recorded),
        now_ns=round(now),
        without_ns=round(without),
        ideal_ns=round(min(level, without)),
        balanced_ns=round(min(balanced, now)),
        balance_floor_ns=round(max(now - balanced - BALANCE_ACCURACY * now, 0.0)),
        balance_ceiling_ns=round(min(now - min(level, balanced) + BALANCE_ACCURACY * now, now)),
        floor_ns=round(max(now - without - (without - least) - ACCURACY * now, 0.0)),
        ceiling_ns=round(min(now - least + ACCURACY * now, now)),
    )


def _step_times(ends: Floats, step: Int64s, steps: Int64s) -> Floats:
    """The time of each variant and step, from the last collective before it, or the begin, to its own
    last.
    """
    last = np.stack([ends[:, step == one].max(axis=1) for one in steps], axis=1)
    times: Floats = np.diff(last, axis=1, prepend=0.0)
    return times


def _recorded(arrivals: Sequence[Arrivals], records: Sequence[RankRecord], steps: Int64s) -> Floats:
    """The same of what was recorded, in the median of the ranks: each by its own clock."""
    of_rank = []
    for rank, record in enumerate(records):
        mine = [one for one in arrivals if rank in one.group.ranks]
        if mine:
            at = np.concatenate([one.group.at[:, one.group.ranks.index(rank)] for one in mine])
            step = np.concatenate([one.step for one in mine])
            if len(np.unique(step)) == len(steps):
                ends = (record.end_ns[at] - record.begin_ns).astype(np.float64)
                of_rank.append(_step_times(ends[None], step, steps)[0])
    return np.median(np.stack(of_rank), axis=0) if of_rank else np.zeros(len(steps))


@dataclass(frozen=True, slots=True, eq=False)
class JobAnalysis:
    """Positions of ranks are those in the list of records."""

    matching: Matching
    arrivals: tuple[Arrivals, ...]
    """One entry a matched group, as the next one."""
    blames: tuple[tuple[Blame, ...], ...]
    late: tuple[LateRank, ...]
    """One entry a step."""
    estimates: StepEstimates | None
    """None where nothing was matched."""
    clocks: tuple[ClockOffset | None, ...]


def analyze_ranks(records: Sequence[RankRecord]) -> JobAnalysis:
    """Match the ranks of a job, and find whom they waited for, and why."""
    matching = match_ranks(records)
    arrivals = arrivals_of(matching.groups, records)
    stretches = tuple(stretches_of(group, records) for group in matching.groups)
    blames = tuple(map(blames_of, arrivals, stretches))
    late = late_ranks(arrivals, stretches, blames)
    return JobAnalysis(
        matching=matching,
        arrivals=arrivals,
        blames=blames,
        late=late,
        estimates=estimate_steps(arrivals, stretches, blames, late, records) if arrivals else None,
        clocks=clock_offsets(matching.groups, records),
    )
