"""Launches of the training that the driver held back while another thread waited in it.

A blocking call may hold a lock of the driver, and a launch of another thread then waits with it:
https://github.com/pytorch/pytorch/issues/143825 shows it for copies into pageable memory.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.replay.launched_rows import QUEUE_LIMIT
from tbprof.records import dataclass
from tbprof.rules.sync.launches import Launches, training_launches
from tbprof.trace.columns.arrays import Int64s, is_among

STRETCH_FACTOR = 10
"""A launch of more than this times the median of its name did not take that long by itself."""

OVERLAP_SHARE = 0.8
"""Part of the launch that the other thread's call must cover."""


@dataclass(frozen=True, slots=True, eq=False)
class HeldBackLaunches:
    """One entry a launch that was held back."""

    launches: Launches
    episode: Int64s
    """What the other thread waited in."""

    def only(self, episodes: Int64s) -> HeldBackLaunches:
        """Those that were held back by one of these."""
        chosen = is_among(self.episode, episodes)
        return HeldBackLaunches(self.launches.only(chosen), self.episode[chosen])

    @property
    def lost_ns(self) -> int:
        """Host time above the usual."""
        launches = self.launches
        return int((launches.end_ns - launches.start_ns - launches.median_ns).sum())


def find_held_back_launches(facts: Facts) -> HeldBackLaunches:
    """Each with the one wait of a side thread that covers most of it.

    A launch onto a full queue waits for the device, whatever other threads do: those with half a
    queue before them are left out.
    """
    launches = facts.once(training_launches)
    length = launches.end_ns - launches.start_ns
    long = (length > STRETCH_FACTOR * launches.median_ns) & (_queued(facts, launches) < QUEUE_LIMIT // 2)
    launches = launches.only(long)
    episodes = facts.episodes
    side = np.flatnonzero(episodes.blocking & ~is_among(episodes.lane, facts.training_threads))
    if len(side) == 0:
        return HeldBackLaunches(launches.only(np.empty(0, np.int64)), side)
    covering, held = np.zeros(len(launches.rows), np.int64), np.zeros(len(launches.rows), np.bool_)
    for at, (start, end) in enumerate(zip(launches.start_ns.tolist(), launches.end_ns.tolist(), strict=True)):
        shared = np.minimum(episodes.end_ns[side], end) - np.maximum(episodes.start_ns[side], start)
        most = int(np.argmax(shared))
        covering[at], held[at] = side[most], int(shared[most]) >= OVERLAP_SHARE * (end - start)
    return HeldBackLaunches(launches.only(held), covering[held])


def _queued(facts: Facts, launches: Launches) -> Int64s:
    """How much had been launched and not started when each launch began, on all devices."""
    launched = np.sort(facts.work.launch_start_ns, kind="stable")
    started = np.sort(facts.work.start_ns, kind="stable")
    instants = launches.start_ns
    before: Int64s = np.searchsorted(launched, instants) - np.searchsorted(started, instants)
    return before
