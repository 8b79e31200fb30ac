"""What the job's analysis needs to know of one rank: its collectives, and what lay between them.

Ranks are matched and compared elsewhere, from these records alone. All ranks leave a collective at the
same time, so that from one to the next of a group each has a stretch of its own, and the longest is what
the others wait for.

The stretches between collectives, divided by what the rank did in them.

Each part has a name that can be blamed: the op and module, the cause and place of idle, another group's
collective, copying.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tbprof.analysis.collectives import key_of_range
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.device_pieces import HOST_COLLECTIVES, DevicePieces, device_pieces, host_pieces
from tbprof.analysis.names import matching_rows
from tbprof.model import HOST_DEVICE, CollectiveKey, RankSequence, StretchPart
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, distinct_places, is_among
from tbprof.trace.columns.columns import Category

MAX_COLLECTIVES = 1024
"""The most collectives of a window; later ones are only counted. Steps of DDP and FSDP have some tens to some
hundreds."""

_STEP_NUMBER = re.compile(r"\d+$")


@dataclass(frozen=True, slots=True, eq=False)
class _Met:
    """The collectives of a rank, ascending by start."""

    device: int
    keys: Sequence[CollectiveKey]
    key: Int64s
    number: Int64s
    stream: Int64s
    start_ns: Int64s
    end_ns: Int64s
    launched_ns: Int64s
    """On the trace's clock, `NONE` where it was not recorded."""
    host_wait_ns: Int64s
    step: Int64s
    """Index among the steps."""
    begin_ns: int

    def first(self, count: int) -> _Met:
        columns = (self.key, self.number, self.stream, self.start_ns, self.end_ns, self.launched_ns)
        key, number, stream, start, end, launched = (column[:count] for column in columns)
        waits, step = self.host_wait_ns[:count], self.step[:count]
        return _Met(
            self.device, self.keys, key, number, stream, start, end, launched, waits, step, self.begin_ns
        )


def rank_sequence(facts: Facts) -> RankSequence | None:
    """The sequence of the busiest device, of what the steps launched; None where it did not communicate."""
    work, found, device = facts.work, facts.collectives, facts.work.main_device
    if device is None:
        return None
    is_own = _is_own(facts)
    chosen = np.flatnonzero(is_own[found.at] & (work.device[found.at] == device))
    if len(chosen) == 0:
        return None
    at = found.at[chosen]
    begin = _begin_ns(facts, device, is_own)
    end = max(int(facts.steps.gpu_end_ns.max()), int(work.start_ns[at].max()) + 1)
    is_known = work.launch[at] != NONE
    met = _Met(
        device=device,
        keys=found.keys,
        key=found.key[chosen],
        number=found.number[chosen],
        stream=work.stream[at],
        start_ns=work.start_ns[at],
        end_ns=work.end_ns[at],
        launched_ns=np.where(is_known, work.launch_end_ns[at], NONE),
        host_wait_ns=_host_waits(facts, work.launch_end_ns[at]),
        step=_steps_of(facts, work.launch_start_ns[at]),
        begin_ns=begin,
    )
    return _sequence(facts, met, device_pieces(facts, device, begin, end))


def host_sequence(facts: Facts) -> RankSequence | None:
    """The sequence of collectives that the hosts did themselves; None where there are none."""
    slices = facts.trace.slices
    rows = matching_rows(facts.trace, HOST_COLLECTIVES, Category.USER_ANNOTATION, Category.CPU_OP)
    rows = rows[np.argsort(slices.start_ns[rows], kind="stable")]
    begin, end = int(facts.steps.start_ns.min()), int(facts.steps.end_ns.max())
    rows = rows[(slices.start_ns[rows] >= begin) & (slices.start_ns[rows] < end)]
    if len(rows) == 0:
        return None
    recorded = [key_of_range(facts.trace, row) for row in rows.tolist()]
    keys = list(dict.fromkeys(recorded))
    start_ns = slices.start_ns[rows]
    met = _Met(
        device=HOST_DEVICE,
        keys=keys,
        key=np.array([keys.index(key) for key in recorded], np.int64),
        number=np.full(len(rows), NONE, np.int64),
        stream=slices.lane[rows].astype(np.int64),
        start_ns=start_ns,
        end_ns=slices.end_of(rows),
        launched_ns=np.full(len(rows), NONE, np.int64),
        host_wait_ns=np.zeros(len(rows), np.int64),
        step=_steps_of(facts, start_ns),
        begin_ns=begin,
    )
    return _sequence(facts, met, host_pieces(facts, begin, end))


def _is_own(facts: Facts) -> npt.NDArray[np.bool_]:
    """Whether each piece of device work was launched by the steps.

    The last of it may begin when the host has left the steps: every rank has to have it, or ranks can't be
    matched. Work from before the recording has no launch on record. A stream runs in order: so that has its
    rows before the first one whose launch is known.
    """
    work = facts.work
    steps = facts.steps
    # Without marked steps the window begins with the first device work, after its launch.
    begin = int(steps.start_ns[0]) if steps.recorded else facts.origin_ns
    end = int(steps.end_ns.max())
    is_known = work.launch != NONE
    first = np.full(int(work.place.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, work.place[is_known], work.start_ns[is_known])
    is_known_later = (first[work.place] < np.iinfo(np.int64).max) & (work.start_ns < first[work.place])
    own: npt.NDArray[np.bool_] = (work.launch_start_ns >= begin) & (work.launch_start_ns < end)
    own &= is_known | ~is_known_later
    return own


def _begin_ns(facts: Facts, device: int, is_own: npt.NDArray[np.bool_]) -> int:
    """When the first step began, or the device was done with all before it; at most its first own work."""
    work, first = facts.work, int(facts.steps.start_ns[0])
    mine = work.device == device
    done = int(work.end_ns[mine & ~is_own].max(initial=first))
    return min(done, int(work.start_ns[mine & is_own].min(initial=done)))


def _host_waits(facts: Facts, launched_ns: Int64s) -> Int64s:
    """What training threads waited for devices since the launch of the collective before, for each
    collective.
    """
    episodes = facts.episodes
    held = np.flatnonzero(
        episodes.blocking
        & is_among(episodes.lane, facts.training_threads)
        & (facts.awaited.explained_ns > 0)
        & (episodes.start_ns >= facts.steps.start_ns[0])
    )
    order = held[np.argsort(episodes.end_ns[held], kind="stable")]
    waited = np.concatenate([[0], np.cumsum(facts.net_wait_ns[order])])
    before = waited[np.searchsorted(episodes.end_ns[order], launched_ns, side="right")]
    since: Int64s = np.diff(before, prepend=before[:1])
    return since


def _steps_of(facts: Facts, launched_ns: Int64s) -> Int64s:
    steps: Int64s = np.searchsorted(facts.steps.start_ns, launched_ns, side="right") - 1
    return np.maximum(steps, 0)


def _sequence(facts: Facts, found: _Met, pieces: DevicePieces) -> RankSequence:
    met = found.first(MAX_COLLECTIVES)
    groups = _groups(met.keys, met.key)
    stretch_begin = _stretch_begins(groups, met.start_ns, met.begin_ns)
    parts = divide(pieces, groups, stretch_begin, met.start_ns)
    kept, key = distinct_places(met.key)
    numbers = _step_numbers(facts.steps.names)
    origin = facts.origin_ns
    return RankSequence(
        device=met.device,
        keys=tuple(met.keys[number] for number in kept.tolist()),
        key=tuple(key.tolist()),
        number=tuple(met.number.tolist()),
        stream=tuple(met.stream.tolist()),
        start_ns=tuple((met.start_ns - origin).tolist()),
        duration_ns=tuple((met.end_ns - met.start_ns).tolist()),
        stretch_ns=tuple((met.start_ns - stretch_begin).tolist()),
        parts=parts.parts,
        part_begin=tuple(parts.begin),
        part=tuple(parts.part),
        part_ns=tuple(parts.ns),
        part_count=tuple(parts.count),
        left_out=len(found.key) - len(met.key),
        begin_ns=met.begin_ns - origin,
        step=tuple(numbers[step] for step in met.step.tolist()),
        launched_ns=tuple(np.where(met.launched_ns == NONE, NONE, met.launched_ns - origin).tolist()),
        host_wait_ns=tuple(met.host_wait_ns.tolist()),
        part_work=tuple(parts.work),
    )


def _step_numbers(names: Sequence[str]) -> list[int]:
    """The profiler's own where all steps have one, else their places."""
    found = [_STEP_NUMBER.search(name) for name in names]
    known = [int(one[0]) for one in found if one is not None]
    return known if len(set(known)) == len(names) else list(range(len(names)))


def _groups(keys: Sequence[CollectiveKey], key: Int64s) -> Int64s:
    """A number for the group of each collective; those whose group was not recorded are one."""
    names = [one.group_name for one in keys]
    order = list(dict.fromkeys(names))
    of_key = np.array([order.index(name) for name in names], np.int64)
    return of_key[key]


def _stretch_begins(groups: Int64s, start_ns: Int64s, begin_ns: int) -> Int64s:
    """The start of the collective before of each one's group."""
    begins = np.empty(len(groups), np.int64)
    for group in distinct(groups).tolist():
        mine = np.flatnonzero(groups == group)
        begins[mine] = np.concatenate([np.array([begin_ns], np.int64), start_ns[mine][:-1]])
    return begins


MAX_NAMED_PARTS = 4096
"""Over all stretches, the longest; a part has about six bytes."""

NAMED_SHARE = 0.02
"""The share of a stretch below which a part goes into the nameless part of its kind, computing into that of
its whether a rank computes more is shown by the kernels of each."""


@dataclass(frozen=True, slots=True)
class Divided:
    parts: tuple[StretchPart, ...]
    begin: list[int]
    part: list[int]
    ns: list[int]
    count: list[int]
    work: list[int]


def divide(pieces: DevicePieces, groups: Int64s, begin_ns: Int64s, end_ns: Int64s) -> Divided:
    """The parts of every stretch: those worth a name, and one of each kind for the rest."""
    stretch, part, ns, count, work, unknown = _overlaps(pieces, groups, begin_ns, end_ns)
    is_worth = ns >= np.maximum(NAMED_SHARE * (end_ns - begin_ns)[stretch], 1)
    has_room = np.zeros(len(ns), np.bool_)
    has_room[np.argsort(-ns, kind="stable")[:MAX_NAMED_PARTS]] = True
    # How long a collective was exposed is known by its own group's part alone.
    is_kept = np.array([one.kind == "communication" for one in pieces.parts])[part]
    smaller = np.where(has_room, pieces.coarser[part], pieces.nameless[part])
    part = np.where(is_kept | (is_worth & has_room), part, smaller)
    places = len(pieces.parts)
    merged, which = distinct_places(stretch * places + part)
    total, kernels, elements, lacking = (
        _summed(which, one, len(merged)) for one in (ns, count, work, unknown)
    )
    used, number = distinct_places(merged % places)
    begins = np.searchsorted(merged // places, np.arange(len(begin_ns) + 1))
    return Divided(
        parts=tuple(pieces.parts[at] for at in used.tolist()),
        begin=begins.tolist(),
        part=number.tolist(),
        ns=total.tolist(),
        count=kernels.tolist(),
        work=np.where(lacking > 0, NONE, elements).tolist(),
    )


def _summed(which: Int64s, values: Int64s, places: int) -> Int64s:
    """The values of each place together."""
    total = np.zeros(places, np.int64)
    np.add.at(total, which, values)
    return total


def _overlaps(pieces: DevicePieces, groups: Int64s, begin_ns: Int64s, end_ns: Int64s) -> Int64s:
    """What each stretch holds of which part, each pair once.

    Rows: stretch, part, ns, kernels begun, the elements of their inputs, and how many have none recorded.
    """
    found: list[Int64s] = []
    places = len(pieces.parts)
    for group in distinct(groups).tolist():
        mine = np.flatnonzero((groups == group) & (end_ns > begin_ns))
        edges = distinct(np.concatenate([pieces.start_ns, pieces.end_ns, begin_ns[mine], end_ns[mine]]))
        left, length = edges[:-1], np.diff(edges)
        at = np.searchsorted(begin_ns[mine], left, side="right") - 1
        inside = (at >= 0) & (left < end_ns[mine][np.maximum(at, 0)]) if len(mine) else at >= 0
        piece = np.searchsorted(pieces.start_ns, left[inside], side="right") - 1
        pair = mine[at[inside]] * places + pieces.part[piece]
        pairs, which = distinct_places(pair)
        begun = ((pieces.start_ns[piece] == left[inside]) & pieces.is_kernel[piece]).astype(np.int64)
        work = pieces.elements[piece]
        columns = (length[inside], begun, begun * np.maximum(work, 0), begun * (work == NONE))
        sums = (_summed(which, one, len(pairs)) for one in columns)
        found.append(np.stack([pairs // places, pairs % places, *sums]))
    return np.concatenate(found, axis=1)
