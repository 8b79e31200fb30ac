"""Another thread's wait holds back the training's launches.

What
    A thread that does not train (a checkpoint writer, a logger, a metric) copies from the device
    into pageable memory or synchronizes, and launches of the training take more than ten times as
    long while it waits.

Why
    The driver may hold a lock while a call blocks. The training thread then waits with the other
    one, though it reads nothing itself, and the device runs dry after it.

Example
    before:
        def write():
            torch.save({name: value.cpu() for name, value in model.state_dict().items()}, path)
        threading.Thread(target=write).start()
    after:
        for name, value in model.state_dict().items():
            pinned[name].copy_(value, non_blocking=True)
        copied = torch.cuda.Event()
        copied.record()
        threading.Thread(target=write_when, args=(copied, pinned)).start()

Action
    Let the other thread ask an event instead of waiting.

Fix
    Let the other thread copy into pinned memory without blocking and look at an event (`query`)
    instead of waiting for it; or give the work to another process.
    caveat: the copies read the parameters as they are when the device comes to them; start them
    between two steps.

Silent
    Not reported for launches of which the wait covers less than 80 %, or for launches that find the queue
    half full: they wait for the device. Only `info` if the GPU rarely runs out of work.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.replay.launched_rows import QUEUE_LIMIT
from tbprof.model import Finding, Saving, SiteIndex
from tbprof.records import dataclass
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.passing import sync_points
from tbprof.rules.base.rule import Rule
from tbprof.rules.base.severity import severity_of
from tbprof.rules.sync.launches import Launches, training_launches
from tbprof.rules.sync.words import HeldBack
from tbprof.trace.columns.arrays import Int64s, distinct, is_among

_CODE = "SYN09"


def find(facts: Facts) -> Iterator[Finding]:
    """One finding a site of the other thread; it counts the waits that held a launch back."""
    stretched = find_held_back_launches(facts)
    for index, site in facts.indexed_sites:
        held = stretched.only(site.members)
        if len(held.episode):
            yield _finding(facts, index, held)


def _finding(facts: Facts, index: SiteIndex, held: HeldBackLaunches) -> Finding:
    site = facts.sites[index]
    ceiling_ns = min(held.lost_ns, facts.fillable_ns)
    saving = Saving(floor_ns=0, estimate_ns=None, ceiling_ns=ceiling_ns)
    place = site.ops if site.source is None else (site.source.file, site.source.function)
    return window_finding(
        _CODE,
        place=" ".join(place),
        severity=severity_of(facts, saving),
        count=len(distinct(held.episode)),
        removal="rewrite",
        saving=saving,
        confidence="medium",
        evidence=row_evidence(facts, "launch", held.launches.rows),
        figures=HeldBack(launches=len(held.launches.rows), lost_ns=held.lost_ns),
        sites=(index,),
    )


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("waits",),
    find=find,
    passing=sync_points,
    is_timed=True,
    before=(
        *("SYN01", "SYN02", "SYN03", "SYN04", "SYN05", "SYN06", "SYN07"),
        *("CPY02", "CPY03", "CPY04", "CPY05"),
    ),
)


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
        """The launches that were held back by one of these."""
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
