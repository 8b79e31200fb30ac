"""Where in the program the idle with an empty queue happens, and which wait made it possible.

The two can differ: the data loader is exposed only because a read drained the queue before it.
The place is what the host was in; the drain is the sync point during which the device ran dry.

Idle for which only the host's own pace is to blame, and whether it launched or did other things.

Each piece of idle of the cause `launch` ends with the next launch of a training thread. If that
launch came soon after the one before it, the host was launching all the time and could not feed
the device: its kernels are too short. After a long pause it was in other code. Where the host goes through
items one by one neither is to blame, but the loop.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import numpy.typing as npt

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.health import records_frames
from tbprof.analysis.figures.item_loops import in_costly_loops
from tbprof.analysis.intervals import Intervals, complement, overlap_ns, subtract, union, union_of
from tbprof.model import IdlePlace, SiteIndex
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, is_among

MAX_PLACES = 12
"""Places that a report holds, those with most idle."""

MAX_PIECES = 2000
"""Longest pieces of each cause that are given a place; the rest is too short to matter."""


@dataclass(frozen=True, slots=True, eq=False)
class PlacedIdle:
    """Pieces of idle, one entry each: longest first, at most `MAX_PIECES`."""

    pieces: Intervals
    names: list[str]
    """What the host was in; "" if nothing was recorded there."""
    opened: list[int]
    """For the cause `sync` the site after which the device stayed dry, else `NONE`."""
    drained: list[int]
    """The site during whose wait the device ran dry, else `NONE`."""

    @property
    def blamed(self) -> list[int]:
        """The site to change: the one that drained the queue, else the one after which it was dry."""
        return [
            opened if drained == NONE else drained
            for opened, drained in zip(self.opened, self.drained, strict=True)
        ]


def idle_places(facts: Facts) -> tuple[IdlePlace, ...]:
    """Most idle first; summed over the devices."""
    found: defaultdict[tuple[str, str, int, int], int] = defaultdict(int)
    for device, causes in facts.causes.empty.items():
        for cause, idle in causes.items():
            if len(idle) == 0:
                # Most causes of most devices, where there are thousands.
                continue
            placed = placed_idle(facts, device, cause)
            lengths = (placed.pieces.end_ns - placed.pieces.start_ns).tolist()
            for name, site, drain, ns in zip(
                placed.names, placed.opened, placed.drained, lengths, strict=True
            ):
                found[cause, name, site, drain] += ns
    places = [
        IdlePlace(cause, ns, name, _optional(site), _optional(drain))
        for (cause, name, site, drain), ns in found.items()
    ]
    places.sort(key=lambda place: (-place.idle_ns, place.cause, place.place))
    return tuple(places[:MAX_PLACES])


def placed_idle(facts: Facts, device: int, cause: str) -> PlacedIdle:
    """The longest pieces of idle of one device and cause."""
    longest = _longest(facts.causes.empty[device][cause])
    opened = _opened_by(facts, longest.start_ns) if cause == "sync" else _nobody(longest)
    drained = drained_by(facts, facts.idle.empty[device], longest.start_ns)
    return PlacedIdle(longest, facts.places.names(longest.start_ns, longest.end_ns), opened, drained)


def _longest(pieces: Intervals) -> Intervals:
    order = np.argsort(pieces.start_ns - pieces.end_ns, kind="stable")[:MAX_PIECES]
    return Intervals(pieces.start_ns[order], pieces.end_ns[order])


def _nobody(pieces: Intervals) -> list[int]:
    return [NONE] * len(pieces)


def _opened_by(facts: Facts, instants: Int64s) -> list[int]:
    """Site of the last training wait that had returned at each instant."""
    held = _training_waits(facts)
    ends = facts.episodes.end_ns[held]
    order = np.argsort(ends, kind="stable")
    at = np.searchsorted(ends[order], instants, side="right") - 1
    return _sites(facts, held[order], at)


def drained_by(facts: Facts, gaps: Intervals, instants: Int64s) -> list[int]:
    """Site of the training wait during which the gap around each instant began, or `NONE`.

    Args:
        facts: Of the window.
        gaps: Empty idle of the device, every instant lies in one of them.
        instants: Any.
    """
    held = _training_waits(facts)
    begun = gaps.start_ns[np.maximum(np.searchsorted(gaps.start_ns, instants, side="right") - 1, 0)]
    at = np.searchsorted(facts.episodes.start_ns[held], begun, side="right") - 1
    inside = (at >= 0) & (begun <= facts.episodes.end_ns[held][np.maximum(at, 0)]) if len(held) else at >= 0
    return _sites(facts, held, np.where(inside, at, NONE))


def _training_waits(facts: Facts) -> Int64s:
    episodes = facts.episodes
    held = np.flatnonzero(is_among(episodes.lane, facts.training_threads) & episodes.blocking)
    return held[np.argsort(episodes.start_ns[held], kind="stable")]


def _sites(facts: Facts, episodes: Int64s, at: Int64s) -> list[int]:
    if len(episodes) == 0:
        return [NONE] * len(at)
    found = np.where(at < 0, NONE, facts.site_of_episode[episodes[np.maximum(at, 0)]])
    return [int(site) for site in found]


def _optional(site: int) -> SiteIndex | None:
    return None if site == NONE else SiteIndex(site)


def largest_cause(facts: Facts) -> str:
    """One of `idle_causes.CAUSES`, of equals the earlier one; "" where nothing was idle."""
    main = facts.work.main_device
    totals = {} if main is None else facts.causes.total_ns(main)
    return max(totals, key=lambda cause: totals[cause], default="")


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
    """The length from which a pause is a long one."""

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
    idle = subtract(facts.idle_of("launch"), facts.once(in_costly_loops))
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
    # What came before the first step may not be on record.
    pause[0] = max(int(start[0]) - max(facts.origin_ns, int(facts.steps.start_ns.min())), 0)
    pause = np.where(_is_other_work(facts, start - pause, start), np.maximum(pause, long_ns), pause)
    none = at == len(calls)
    after_all = np.maximum(idle.end_ns - end[-1], 0)
    launch = np.where(none, NONE, calls[ended])
    return LaunchIdle(idle, launch, np.where(none, after_all, pause[ended]), long_ns)


_SILENT_NS = 50_000
"""What changes only the view of a tensor launches nothing either: it takes a few us."""
_MOST = 0.5


def _is_other_work(facts: Facts, start_ns: Int64s, end_ns: Int64s) -> npt.NDArray[np.bool_]:
    """For each pause whether operators take most of it that launch nothing, as of a model's part on the CPU.

    However short each of them is: what the host does there is no launching.
    """
    ops, slices = facts.top_ops, facts.trace.slices
    launched = np.zeros(len(ops), np.bool_)
    launched[ops.of_work[ops.of_work != NONE]] = True
    rows = ops.rows[~launched]
    silent_ns = overlap_ns(union(slices.start_ns[rows], slices.end_of(rows)), start_ns, end_ns)
    is_most: npt.NDArray[np.bool_] = silent_ns >= np.maximum(_MOST * (end_ns - start_ns), _SILENT_NS)
    return is_most


def pauses(facts: Facts) -> Intervals:
    """All of `LONG_PAUSE_NS` between launches, whether the device was idle or not: in no loop over items, and
    without collections of garbage.
    """
    slices, steps = facts.trace.slices, facts.steps
    calls = _training_launches(facts)
    calling = union(slices.start_ns[calls], slices.end_of(calls))
    between = complement(calling, int(steps.start_ns.min()), int(steps.end_ns.max()))
    others = union_of((facts.once(in_costly_loops), facts.causes.states["garbage_collection"]))
    between = subtract(between, others)
    long = between.end_ns - between.start_ns >= LONG_PAUSE_NS
    return Intervals(between.start_ns[long], between.end_ns[long])


def _training_launches(facts: Facts) -> Int64s:
    """Rows of the calls that launched work, ascending by their end."""
    slices = facts.trace.slices
    calls = facts.work.launches
    calls = calls[is_among(slices.lane[calls], facts.training_threads)]
    return calls[np.argsort(slices.end_of(calls), kind="stable")]
