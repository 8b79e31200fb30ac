"""What the window would have taken without some of its waits, by replaying it.

Host work between calls keeps its length: a host instant of the replay is the recorded one less
a shift, and only waits change the shift. Threads that hand over to each other (forward and
autograd) share it; the others keep their times, and their own waits hold up nobody. Device rows keep
their length and start as `schedule` says. A wait that stays returns when the rows that it
awaited are done; a removed one costs what its calls cost when there is nothing to wait for. Frees of device
memory are waits that always stay.

Replayed with all its waits a window must come out as it was recorded. How far it does not is the
replay's error; above `MAX_REPLAY_ERROR` it says nothing.
"""

from __future__ import annotations

from dataclasses import field
from functools import cached_property

import numpy as np

from tbprof.analysis.device.device_work import DeviceWork
from tbprof.analysis.events.steps import Steps
from tbprof.analysis.replay.launched_rows import LaunchedRows
from tbprof.analysis.replay.play import Played, play
from tbprof.analysis.replay.schedule import DeviceSchedule
from tbprof.analysis.replay.script import Script
from tbprof.analysis.replay.streams import StreamOrder
from tbprof.analysis.replay.waits import ReplayWaits
from tbprof.analysis.replay.writing import write_script
from tbprof.model import MAX_REPLAY_ERROR
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int64s, is_among

MAX_ROWS = 20_000
"""Device rows that are replayed: a window with more is judged by its first warm steps."""


@dataclass(frozen=True, eq=False)
class Replay:
    """A window that can be run again without some of the waits of its training lanes."""

    order: StreamOrder
    schedule: DeviceSchedule
    steps: Steps
    waits: ReplayWaits
    replayed_steps: slice
    """The steps that are run. Where they are a part of the window, what they win is taken for all warm ones:
    a cold step is long for reasons that no wait has."""
    _lengths: dict[frozenset[int], int] = field(default_factory=dict)
    """By the episodes that were removed: findings, bundles and the plan ask for the same ones."""

    @cached_property
    def recorded_ns(self) -> int:
        """From the start of the first step to the end of the last and of the work launched in them."""
        last = self.order.work.end_ns[self._rows_in_steps].max(initial=self._end_ns)
        return int(last) - self._start_ns

    @cached_property
    def unchanged_ns(self) -> int:
        """The same as the replay of the unchanged window has it."""
        return self._length_ns(frozenset())

    @property
    def error(self) -> float:
        """How far the replay of the unchanged window is off, as a share of it."""
        return abs(self.unchanged_ns - self.recorded_ns) / max(self.recorded_ns, 1)

    @property
    def is_consistent(self) -> bool:
        return self.error <= MAX_REPLAY_ERROR

    def saving_ns(self, removed: Int64s) -> int:
        """What the window gets shorter by without the waits of these episodes, at least 0."""
        won = max(self.unchanged_ns - self._length_ns(frozenset(removed.tolist())), 0)
        replayed = len(self.steps.names[self.replayed_steps])
        warm = len(self.steps) - sum(self.steps.cold)
        return won * max(warm, replayed) // replayed

    def gained_ns(self, removed: Int64s) -> Int64s:
        """How much the host gains in each step without the waits of these episodes.

        One figure a step; 0 for steps that are not replayed, or in which it loses.
        """
        played = play(self._script, frozenset(removed.tolist()))
        known = np.array([(0, 0), *played.shifts], np.int64)
        at = np.searchsorted(known[1:, 0], self.steps.end_ns, side="left")
        reached = known[at, 1]
        gained = np.maximum(np.diff(reached, prepend=0), 0)
        replayed = np.zeros(len(self.steps), np.bool_)
        replayed[self.replayed_steps] = True
        return np.where(replayed, gained, 0)

    def stretched_ns(self, rows: Int64s, factor: float) -> int:
        """How long the replayed steps take with these device rows so many times as long.

        Times of the host stay: what the host does for each row does not depend on how long the row is.
        """
        lengths = self._script.length_ns
        is_longer = is_among(self._script.rows, rows)
        longer = np.where(is_longer, (lengths * factor).astype(np.int64), lengths)
        return self._window_ns(play(self._script.stretched(longer), frozenset()))

    @property
    def rows_in_steps(self) -> Int64s:
        """Device rows of the training that were launched inside a replayed step."""
        return self._rows_in_steps

    @cached_property
    def _start_ns(self) -> int:
        return int(self.steps.start_ns[self.replayed_steps].min())

    @cached_property
    def _end_ns(self) -> int:
        return int(self.steps.end_ns[self.replayed_steps].max())

    @cached_property
    def _rows_in_steps(self) -> Int64s:
        """Device rows of the training that were launched inside a replayed step."""
        step = self.steps.index_of(self.order.work.launch_start_ns)
        first, last, _ = self.replayed_steps.indices(len(self.steps))
        return np.flatnonzero((step >= first) & (step < last) & ~self.order.is_beside)

    @cached_property
    def _script(self) -> Script:
        start_ns, end_ns = self._start_ns, self._end_ns
        rows = LaunchedRows.of(self.order, self.schedule, self.waits, start_ns, end_ns)
        return write_script(rows, start_ns, end_ns, self._rows_in_steps)

    def _length_ns(self, removed: frozenset[int]) -> int:
        if removed not in self._lengths:
            self._lengths[removed] = self._window_ns(play(self._script, removed))
        return self._lengths[removed]

    def _window_ns(self, played: Played) -> int:
        host_end = self._end_ns - (played.shifts[-1][1] if played.shifts else 0)
        return max(host_end, played.device_end_ns or host_end) - self._start_ns


def steps_to_replay(work: DeviceWork, steps: Steps) -> slice:
    """All steps if they have few device rows; else warm ones from the first, up to `MAX_ROWS`."""
    if len(work.rows) <= MAX_ROWS:
        return slice(0, len(steps))
    first = next((at for at, cold in enumerate(steps.cold) if not cold), 0)
    step = steps.index_of(work.launch_start_ns)
    rows = np.cumsum(np.bincount(step[step >= first], minlength=len(steps))[first:])
    return slice(first, first + max(int(np.searchsorted(rows, MAX_ROWS, side="right")), 1))
