"""Idle for which only the host's own pace is to blame, and whether it launched or did other things.

Each piece of idle of the cause `launch` ends with the next launch of a training thread. If that
launch came soon after the one before it, the host was launching all the time and could not feed
the device: its kernels are too short. After a long pause it was in other code.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.intervals import Intervals, complement, union
from tbprof.analysis.facts import Facts
from tbprof.analysis.health.profiler_cost import records_frames
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, is_among

LONG_PAUSE_NS = 200_000
"""Without a launch for this long the host did something else: an op takes it about 10 us."""

LONG_PAUSE_WITH_FRAMES_NS = 1_000_000
"""The same under a profiler that records Python frames: code compiled by Inductor takes 0.2 ms between two
launches there."""


@dataclass(frozen=True, slots=True, eq=False)
class LaunchIdle:
    """One entry a piece of idle of the busiest device, ascending."""

    idle: Intervals
    launch: Int64s
    """Row of the launching call that ended it, `NONE` where none follows."""
    pause_ns: Int64s
    """How long no training thread had launched anything when that call began."""
    long_pause_ns: int
    """From here on a pause is a long one."""

    def short(self) -> LaunchIdle:
        """The pieces in which the host kept launching; one that no launch ended is none of them."""
        return self.chosen((self.pause_ns < self.long_pause_ns) & (self.launch != NONE))

    def long(self) -> LaunchIdle:
        """The pieces in which it did something else."""
        return self.chosen(self.pause_ns >= self.long_pause_ns)

    def chosen(self, chosen: np.ndarray[tuple[int], np.dtype[np.bool_ | np.int64]]) -> LaunchIdle:
        idle = Intervals(self.idle.start_ns[chosen], self.idle.end_ns[chosen])
        return LaunchIdle(idle, self.launch[chosen], self.pause_ns[chosen], self.long_pause_ns)


def find_launch_idle(facts: Facts) -> LaunchIdle:
    idle = facts.idle_of("launch")
    calls = _training_launches(facts)
    slices = facts.trace.slices
    start = slices.start_ns[calls]
    end = start + slices.duration_ns[calls]
    long_ns = LONG_PAUSE_WITH_FRAMES_NS if records_frames(facts) else LONG_PAUSE_NS
    if len(calls) == 0:
        never = np.full(len(idle), np.iinfo(np.int64).max)
        return LaunchIdle(idle, np.full(len(idle), NONE, np.int64), never, long_ns)
    at = np.searchsorted(end, idle.end_ns, side="left")
    ended = np.minimum(at, len(calls) - 1)
    pause = np.maximum(start - np.roll(end, 1), 0)
    pause[0] = max(int(start[0]) - facts.origin_ns, 0)
    none = at == len(calls)
    after_all = np.maximum(idle.end_ns - end[-1], 0)
    launch = np.where(none, NONE, calls[ended])
    return LaunchIdle(idle, launch, np.where(none, after_all, pause[ended]), long_ns)


def pauses(facts: Facts) -> Intervals:
    """All of `LONG_PAUSE_NS` between launches, whether the device was idle in them or not."""
    slices, steps = facts.trace.slices, facts.steps
    calls = _training_launches(facts)
    calling = union(slices.start_ns[calls], slices.end_of(calls))
    between = complement(calling, int(steps.start_ns.min()), int(steps.end_ns.max()))
    long = between.end_ns - between.start_ns >= LONG_PAUSE_NS
    return Intervals(between.start_ns[long], between.end_ns[long])


def _training_launches(facts: Facts) -> Int64s:
    """Rows of the calls that launched work, ascending by their end."""
    slices = facts.trace.slices
    calls = facts.work.launches
    calls = calls[is_among(slices.lane[calls], facts.training_threads)]
    return calls[np.argsort(slices.end_of(calls), kind="stable")]
