"""The figures from which a window is judged: of its typical steps, and of the busiest device."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.savings import saving_of
from tbprof.analysis.intervals import Intervals, overlap_ns, subtract, union
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s

LONG_GAP_NS = 50_000
"""Between two kernels that were queued behind each other a device needs a few us."""

SEVERAL = 2


@dataclass(frozen=True, slots=True)
class VerdictWindow:
    """What the decision is made from, in ns of the chosen steps and of the busiest device."""

    device: int
    chosen: npt.NDArray[np.bool_]
    """The steps: those that are not cold, all where fewer than two are not."""
    step_ns: Int64s
    """The length of each chosen step; the next field has as many entries."""
    step_idle_ns: Int64s
    computing_ns: int
    communication_ns: int
    waiting_ns: int
    """The part of it that is no transfer, but waiting for other ranks."""
    no_transfer_ns: int
    """The part of it that is no transfer, waiting or not."""
    causes: dict[str, int]
    gain_ns: int | None
    """What the replay wins without any of the waits, within their ceiling; None where it says nothing."""

    @classmethod
    def of(cls, facts: Facts) -> VerdictWindow:
        device = facts.work.main_device
        assert device is not None, "a window with a device"
        steps = facts.steps
        warm = ~np.array(steps.cold)
        chosen = warm if int(warm.sum()) >= SEVERAL else np.ones(len(steps), np.bool_)
        start, end = steps.gpu_start_ns[chosen], steps.gpu_end_ns[chosen]
        per_step = facts.causes.per_step_ns(device)
        causes = {cause: total for cause, ns in per_step.items() if (total := int(ns[chosen].sum()))}
        if "queued" in causes:
            causes["queued"] = _real_gaps_ns(facts, device, start, end)
        return cls(
            device=device,
            chosen=chosen,
            step_ns=steps.duration_ns[chosen],
            step_idle_ns=facts.idle.by_device[device].device_ns[chosen],
            computing_ns=int(overlap_ns(facts.parts.computing[device], start, end).sum()),
            communication_ns=int(overlap_ns(facts.parts.communication_exposed[device], start, end).sum()),
            waiting_ns=_begun_in(facts, facts.surely_waited_ns, device, start, end),
            no_transfer_ns=_begun_in(facts, facts.no_transfer_ns, device, start, end),
            causes=causes,
            gain_ns=_gain_ns(facts),
        )

    @property
    def total_ns(self) -> int:
        return max(int(self.step_ns.sum()), 1)

    @property
    def idle_ns(self) -> int:
        return int(self.step_idle_ns.sum())

    @property
    def copying_ns(self) -> int:
        return max(self.total_ns - self.idle_ns - self.computing_ns - self.communication_ns, 0)


def _real_gaps_ns(facts: Facts, device: int, start_ns: Int64s, end_ns: Int64s) -> int:
    """Idle with work queued that is more than what a device needs from one kernel to the next.

    With a host that runs ahead, work is always queued, so that most of it is of that kind; within a graph
    all of it is, however early its host was.
    """
    queued = subtract(facts.idle.gaps[device], facts.idle.empty[device])
    real = queued.end_ns - queued.start_ns >= LONG_GAP_NS
    if not facts.steps.of_device:
        within = overlap_ns(_graphs(facts, device), queued.start_ns, queued.end_ns)
        real |= within < queued.end_ns - queued.start_ns
    return int(overlap_ns(Intervals(queued.start_ns[real], queued.end_ns[real]), start_ns, end_ns).sum())


def _graphs(facts: Facts, device: int) -> Intervals:
    """Each launch that has several rows, from the first to the last."""
    work = facts.work
    rows = np.flatnonzero((work.device == device) & (work.launch != NONE))
    rows = rows[np.argsort(work.launch[rows], kind="stable")]
    if len(rows) == 0:
        return union(rows, rows)
    begin = np.flatnonzero(np.diff(work.launch[rows], prepend=NONE))
    first = np.minimum.reduceat(work.start_ns[rows], begin)
    last = np.maximum.reduceat(work.end_ns[rows], begin)
    several = np.diff(begin, append=len(rows)) > 1
    return union(first[several], last[several])


def _begun_in(facts: Facts, ns: Int64s, device: int, start_ns: Int64s, end_ns: Int64s) -> int:
    """What collectives that begin in these spans have, of a figure of each."""
    at = facts.collectives.at
    begun = facts.work.start_ns[at]
    inside = ((begun[:, None] >= start_ns) & (begun[:, None] < end_ns)).any(axis=1)
    return int(ns[inside & (facts.work.device[at] == device)].sum())


def _gain_ns(facts: Facts) -> int | None:
    won = np.flatnonzero(facts.can_be_won)
    return saving_of(facts, won, "drop").estimate_ns if len(won) else 0


WORTH_SHARE = 0.01
"""Below this part of the steps a saving is lost in the noise of a step."""

SURELY_BUSY_SHARE = 0.9
"""A device that works so much is busy, whatever the rest is."""

BUSY_SHARE = 0.85
"""A device that does less is not called busy, whatever the causes."""


EXPOSED_SHARE = 1 / 3
"""Communication or copies that no computing covers come first from here on, if they exceed all idle."""

COMMUNICATION_SHARE = 0.1
"""Exposed communication may come first from here on; the classic plugin speaks of it from here on, too."""

RIVAL_SHARE = 0.75
"""The share of the largest other cause that removing waits has to win to come before it."""

LOOPS_SHARE = 0.5
"""The share of any other cause from which on loops over items come before it."""

DRAINED_SHARE = 0.3
"""The same where most of that cause's idle begins in a wait."""
