"""The gaps of the busiest device: of a step, around an instant, after an episode.

A gap is a stretch within the steps in which the device did nothing; its moments may have
several causes. All instants are the trace's own.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.idle_places import drained_by
from tbprof.analysis.intervals import Intervals, clip, overlap_ns, subtract, total_ns
from tbprof.model import SiteIndex
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.export.excerpt import Note, excerpt

MAX_GAPS = 100
"""The most gaps of one step: the longest."""


@dataclass(frozen=True, slots=True)
class Gap:
    start_ns: int
    end_ns: int
    cause: str
    """The cause of most of it."""
    place: str
    """What the host was in at its middle; "" if nothing was recorded there."""
    site: SiteIndex | None
    """During whose wait the device ran dry."""


@dataclass(frozen=True, slots=True)
class CauseOfStep:
    cause: str
    idle_ns: int
    pieces: int
    longest_ns: int
    """The length of the longest piece."""
    around: Gap
    """The gap that holds it."""


def causes_of_step(facts: Facts, step: int) -> tuple[CauseOfStep, ...]:
    """Most idle first."""
    found = []
    for cause, inside in idle_pieces(facts, step).items():
        if len(inside):
            lengths = inside.end_ns - inside.start_ns
            longest = int(np.argmax(lengths))
            [gap] = _gaps(facts, inside.start_ns[longest : longest + 1])
            found.append(CauseOfStep(cause, total_ns(inside), len(inside), int(lengths[longest]), gap))
    return tuple(sorted(found, key=lambda row: (-row.idle_ns, row.cause)))


def idle_pieces(facts: Facts, step: int) -> dict[str, Intervals]:
    """When the device was idle in a step, by cause; nothing without a known device."""
    return {cause: _within_step(facts, pieces, step) for cause, pieces in _pieces(facts).items()}


def largest_gaps(facts: Facts, step: int) -> tuple[Gap, ...]:
    """Longest first, at most `MAX_GAPS`; one that reaches beyond the step is there whole."""
    main = facts.known_device
    if main is None:
        return ()
    gaps = facts.idle.gaps[main]
    touching = (gaps.end_ns > facts.steps.gpu_start_ns[step]) & (gaps.start_ns < facts.steps.gpu_end_ns[step])
    start, end = gaps.start_ns[touching], gaps.end_ns[touching]
    order = np.argsort(start - end, kind="stable")[:MAX_GAPS]
    return tuple(_gaps(facts, start[order]))


def gap_at(facts: Facts, instant_ns: int) -> Gap | None:
    """The gap that holds an instant."""
    main = facts.known_device
    if main is None or len(clip(facts.idle.gaps[main], instant_ns, instant_ns + 1)) == 0:
        return None
    return next(_gaps(facts, np.array([instant_ns], np.int64)))


def gap_after(facts: Facts, episode: int) -> Gap | None:
    """The first gap in which the device was still, or went, dry after a sync point returned.

    None where it did not run dry before the host launched anything more.
    """
    main = facts.known_device
    if main is None or not facts.starve_ns[episode]:
        return None
    gaps, returned = facts.idle.empty[main], int(facts.episodes.end_ns[episode])
    at = int(np.searchsorted(gaps.end_ns, returned, side="right"))
    return gap_at(facts, max(int(gaps.start_ns[at]), returned)) if at < len(gaps) else None


def _pieces(facts: Facts) -> dict[str, Intervals]:
    """The pieces of each cause; none without a known device."""
    main = facts.known_device
    if main is None:
        return {}
    queued = subtract(facts.idle.gaps[main], facts.idle.empty[main])
    return {**facts.causes.empty[main], "queued": queued}


def _within_step(facts: Facts, pieces: Intervals, step: int) -> Intervals:
    return clip(pieces, int(facts.steps.gpu_start_ns[step]), int(facts.steps.gpu_end_ns[step]))


def _gaps(facts: Facts, instants: Int64s) -> Iterator[Gap]:
    """The gaps around these instants, each of which lies in one."""
    main = facts.known_device
    assert main is not None, "an instant in a gap of a device"
    gaps = facts.idle.gaps[main]
    at = np.searchsorted(gaps.start_ns, instants, side="right") - 1
    start, end = gaps.start_ns[at], gaps.end_ns[at]
    by_cause = {cause: overlap_ns(pieces, start, end) for cause, pieces in _pieces(facts).items()}
    causes = list(by_cause)
    most = np.argmax(np.stack(list(by_cause.values())), axis=0).tolist()
    places = facts.places.names(start, end)
    empty = facts.idle.empty[main]
    sites = drained_by(facts, empty, np.minimum(start, end - 1)) if len(empty) else [NONE] * len(at)
    for begun, ended, cause, place, site in zip(
        start.tolist(), end.tolist(), most, places, sites, strict=True
    ):
        yield Gap(begun, ended, causes[cause], place, None if site == NONE else SiteIndex(site))


def step_reach(facts: Facts, step: int) -> tuple[int, int]:
    """The time from the step's start until the last device work that it launched has ended."""
    start, end = int(facts.steps.start_ns[step]), int(facts.steps.end_ns[step])
    work = facts.work
    mine = (work.launch != NONE) & (work.launch_start_ns >= start) & (work.launch_start_ns < end)
    return start, max(end, int(work.end_ns[mine].max(initial=end)))


def step_excerpt(facts: Facts, step: int, notes: tuple[Note, ...]) -> bytes:
    """Chrome's JSON of everything that ran while the step or its work did."""
    start, end = step_reach(facts, step)
    slices, work = facts.trace.slices, facts.work
    inside = (slices.start_ns < end) & (slices.end_ns > start)
    launched = np.flatnonzero(work.launch != NONE)
    both = inside[work.launch[launched]] & inside[work.rows[launched]]
    arrows = list(zip(work.launch[launched[both]].tolist(), work.rows[launched[both]].tolist(), strict=True))
    return excerpt(facts.trace, np.flatnonzero(inside), arrows, notes, zero_ns=start)
