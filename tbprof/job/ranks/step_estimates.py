"""What a step of the job would take without its late rank, and with all ranks level.

A step is from the last matched collective of the one before to its own last; the first begins with the
window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tbprof.errors import JobError
from tbprof.job.ranks.arrivals import Arrivals
from tbprof.job.ranks.blame import Blame
from tbprof.job.ranks.late_ranks import LateRank
from tbprof.job.ranks.rank_record import Int64s, RankRecord
from tbprof.job.ranks.stretch_times import NEVER, Times, collective_ends, own_times_of
from tbprof.job.ranks.stretches import Stretches
from tbprof.job.ranks.what_if_times import what_if_times
from tbprof.job.replay.replaying import Floats

MOST_ERROR = 0.05
"""Of the recorded time: a replay that is further off says nothing."""

ACCURACY = 0.04
"""Of a step: how well a replay without a cause is known. `tests/bench/simulated_jobs.md` shows it held."""


@dataclass(frozen=True, slots=True)
class StepEstimate:
    """Of one step of the job, ns."""

    step: int
    recorded_ns: int
    """In the median of the ranks."""
    now_ns: int
    """By the replay: of each collective the largest stretch, and the transfer."""
    without_ns: int
    """Without what made the late rank late."""
    ideal_ns: int
    """With every rank's stretch the median."""
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
    """Of the replay with recorded durations; None where ranks' orders can't be replayed."""

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
    return StepEstimates(tuple(_estimate(at, ns, *four) for at, ns, four in rows), error)


def _device_only(times: Times) -> Times:
    """What was recorded holds already what the hosts did."""
    never = np.full_like(times.host, NEVER)
    return Times(times.device, never, never)


def _estimate(
    step: int, recorded: float, now: float, own: float, like_next: float, level: float
) -> StepEstimate:
    without = min(own, now)
    least = min(level, like_next, without)
    return StepEstimate(
        step=step,
        recorded_ns=round(recorded),
        now_ns=round(now),
        without_ns=round(without),
        ideal_ns=round(min(level, without)),
        floor_ns=round(max(now - without - (without - least) - ACCURACY * now, 0.0)),
        ceiling_ns=round(min(now - least + ACCURACY * now, now)),
    )


def _step_times(ends: Floats, step: Int64s, steps: Int64s) -> Floats:
    """Of each variant and step, from the last collective before it, or the begin, to its own last."""
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
