"""A piece of the timeline at a level of detail.

Time is cut into buckets of `2 ** level` ns, and `TILE_BUCKETS` of them are a tile. A span at
least as long as a bucket stays itself, in every tile that it touches. Shorter ones become
shares: for each bucket and track how much of it they cover, to the ns, and how many of them
begin in it. So nothing is lost at any level, and nothing is drawn that can't be seen.

The short spans of a track at the coarse levels, summed once: the whole window is as fast as a part.

At each level the shares are those of the level below, two buckets to one, and the spans that
have become shorter than a bucket.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Protocol

import numpy as np

from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.figures.timeline_lanes import (
    Track,
)
from tbprof.analysis.intervals import Intervals, overlap_ns
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s

TILE_BUCKETS = 1024

_BUCKET_BITS = 10


@dataclass(frozen=True, slots=True)
class TilePlace:
    level: int
    number: int
    """Tiles of a level count from the window's first event."""

    @property
    def bucket_ns(self) -> int:
        return 1 << self.level

    @property
    def start_ns(self) -> int:
        return self.number << (self.level + _BUCKET_BITS)

    @property
    def end_ns(self) -> int:
        return (self.number + 1) << (self.level + _BUCKET_BITS)


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Each entry a span that is drawn as itself; instants count from the window's first event."""

    lane: Int64s
    line: Int64s
    kind: Int64s
    start_ns: Int64s
    end_ns: Int64s
    row: Int64s
    name: Int64s


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """Each entry the short spans of one kind on one line within one bucket."""

    lane: Int64s
    line: Int64s
    kind: Int64s
    bucket: Int64s
    """0 to `TILE_BUCKETS - 1`."""
    covered_ns: Int64s
    """Overlapping spans are added."""
    count: Int64s
    """The number of spans that begin in the bucket; may be 0 where one only reaches into it."""


@dataclass(frozen=True, slots=True, eq=False)
class Heights:
    """What a lane without spans shows, `TILE_BUCKETS` entries each."""

    lane: int
    height: Int64s
    """The most that was queued, or how full the GPU was, in thousandths."""
    empty_ns: Int64s
    """How long nothing was queued, or no kernel ran."""


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    place: TilePlace
    spans: Spans
    shares: Shares
    heights: tuple[Heights, ...]


class Curve(Protocol):
    """What changes over time, and has no spans."""

    @property
    def peak(self) -> int:
        """The highest that it can be."""

    def in_buckets(self, edges_ns: Int64s) -> tuple[Int64s, Int64s]:
        """Between each two neighbors of `edges_ns` its height, and how long it was nothing."""


def highest_level(span_ns: int) -> int:
    """The lowest level at which the whole window is one tile."""
    return max((span_ns - 1).bit_length() - _BUCKET_BITS, 0)


def cut_tile(
    place: TilePlace, pyramids: Iterable[Pyramid], curves: Mapping[int, Curve], origin_ns: int
) -> Tile:
    """Cut these tracks, and the curves by the number of their lane."""
    tracks = tuple(pyramids)
    edges = origin_ns + place.start_ns + np.arange(TILE_BUCKETS + 1) * place.bucket_ns
    return Tile(
        place=place,
        spans=_joined_spans([_spans(place, one, origin_ns) for one in tracks]),
        shares=_joined_shares([_shares(place, one, origin_ns) for one in tracks]),
        heights=tuple(Heights(lane, *curve.in_buckets(edges)) for lane, curve in curves.items()),
    )


def _spans(place: TilePlace, pyramid: Pyramid, origin_ns: int) -> Spans:
    """The spans that are not short, of those that touch the tile."""
    track = pyramid.track
    begin, stop = origin_ns + place.start_ns, origin_ns + place.end_ns
    at = pyramid.long if place.level >= pyramid.base else np.arange(len(track.row))[track.during(begin, stop)]
    start, end = track.start_ns[at], track.end_ns[at]
    chosen = (end - start >= place.bucket_ns) & (end > begin) & (start < stop)
    at, start, end = at[chosen], start[chosen], end[chosen]
    lane, line, kind = _places(track, len(at))
    return Spans(lane, line, kind, start - origin_ns, end - origin_ns, track.row[at], track.name[at])


def _shares(place: TilePlace, pyramid: Pyramid, origin_ns: int) -> Shares:
    first = place.number * TILE_BUCKETS
    sums = _sums(place, pyramid, origin_ns).between(first, first + TILE_BUCKETS)
    return Shares(*_places(pyramid.track, len(sums.bucket)), sums.bucket - first, sums.covered_ns, sums.count)


def _sums(place: TilePlace, pyramid: Pyramid, origin_ns: int) -> BucketSums:
    """Sums of the tile's buckets, and maybe of some beside them."""
    if place.level >= pyramid.base:
        return pyramid.levels[place.level - pyramid.base]
    track = pyramid.track
    where = track.during(origin_ns + place.start_ns, origin_ns + place.end_ns)
    start, end = track.start_ns[where] - origin_ns, track.end_ns[where] - origin_ns
    short = end - start < place.bucket_ns
    return bucket_sums(start[short], end[short], place.level)


def _places(track: Track, count: int) -> tuple[Int64s, Int64s, Int64s]:
    lane, line, kind = (np.full(count, number, np.int64) for number in (track.lane, track.line, track.kind))
    return lane, line, kind


def _names(table: type[Spans] | type[Shares]) -> list[str]:
    return [column.name for column in fields(table)]


def _joined_spans(parts: list[Spans]) -> Spans:
    return Spans(*(_joined([getattr(part, name) for part in parts]) for name in _names(Spans)))


def _joined_shares(parts: list[Shares]) -> Shares:
    return Shares(*(_joined([getattr(part, name) for part in parts]) for name in _names(Shares)))


def _joined(columns: list[Int64s]) -> Int64s:
    return np.concatenate(columns) if columns else np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class BucketSums:
    """One entry a bucket that holds anything, ascending; buckets count from the window's first event."""

    bucket: Int64s
    covered_ns: Int64s
    count: Int64s

    def between(self, first: int, stop: int) -> BucketSums:
        """The sums of the buckets from `first` to before `stop`."""
        part = slice(*np.searchsorted(self.bucket, (first, stop)).tolist())
        return BucketSums(self.bucket[part], self.covered_ns[part], self.count[part])


def bucket_sums(start_ns: Int64s, end_ns: Int64s, level: int) -> BucketSums:
    """Sums of spans that are shorter than a bucket; instants count from the window's first event."""
    first = start_ns >> level
    before = np.minimum(end_ns, (first + 1) << level) - start_ns
    # Of a span shorter than a bucket a part may lie in the next one, never more.
    after = end_ns - start_ns - before
    over = after > 0
    return _summed(
        np.concatenate([first, first[over] + 1]),
        np.concatenate([before, after[over]]),
        np.repeat(np.array([1, 0]), [len(first), int(over.sum())]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Pyramid:
    """A track with its sums from a base level up."""

    track: Track
    base: int
    long: Int64s
    """Positions of the spans that are not short at the base level."""
    levels: tuple[BucketSums, ...]
    """The levels, the base level first."""

    @classmethod
    def of(cls, track: Track, base: int, highest: int, origin_ns: int) -> Pyramid:
        start, end = track.start_ns - origin_ns, track.end_ns - origin_ns
        long = end - start >= 1 << base
        levels = [bucket_sums(start[~long], end[~long], base)]
        positions = np.flatnonzero(long)
        lengths = (end - start)[positions]
        for level in range(base + 1, highest + 1):
            shrunk = positions[(lengths >= 1 << (level - 1)) & (lengths < 1 << level)]
            below, added = levels[-1], bucket_sums(start[shrunk], end[shrunk], level)
            levels.append(
                _summed(
                    np.concatenate([below.bucket >> 1, added.bucket]),
                    np.concatenate([below.covered_ns, added.covered_ns]),
                    np.concatenate([below.count, added.count]),
                )
            )
        return cls(track, base, positions, tuple(levels))


def _summed(bucket: Int64s, covered_ns: Int64s, count: Int64s) -> BucketSums:
    """Entries of one bucket added up."""
    if len(bucket) == 0:
        return BucketSums(bucket, covered_ns, count)
    order = np.argsort(bucket, kind="stable")
    bucket = bucket[order]
    first = np.flatnonzero(np.diff(bucket, prepend=bucket[0] - 1))
    return BucketSums(
        bucket[first], np.add.reduceat(covered_ns[order], first), np.add.reduceat(count[order], first)
    )


@dataclass(frozen=True, slots=True, eq=False)
class QueueDepth:
    """A number that changes at instants; before the first it is 0."""

    time_ns: Int64s
    """Ascending, each once."""
    depth: Int64s
    """The depth from that instant on."""
    queued: Intervals
    """When it is not 0."""

    @property
    def peak(self) -> int:
        return int(self.depth.max(initial=0))

    def at(self, instant_ns: int) -> int:
        before = int(np.searchsorted(self.time_ns, instant_ns, side="right")) - 1
        return int(self.depth[before]) if before >= 0 else 0

    def in_buckets(self, edges_ns: Int64s) -> tuple[Int64s, Int64s]:
        """Between each two neighbors of `edges_ns` the most that was queued, and how long nothing was."""
        first = np.searchsorted(self.time_ns, edges_ns, side="left")
        # Entry i is what was queued until change i; so a bucket has those from its first change
        # to the one after its last, both included.
        until = np.concatenate([np.zeros(1, np.int64), self.depth])
        most = np.maximum(np.maximum.reduceat(until[: first[-1] + 1], first)[:-1], until[first[1:]])
        start, end = edges_ns[:-1], edges_ns[1:]
        return most, (end - start) - overlap_ns(self.queued, start, end)


def queue_depth(work: DeviceWork, device: int) -> QueueDepth:
    """The depth of one device's queue, over all its streams."""
    mine = (work.launch != NONE) & (work.device == device) & (work.start_ns > work.launch_end_ns)
    times = np.concatenate([work.launch_end_ns[mine], work.start_ns[mine]])
    moves = np.repeat(np.array([1, -1], np.int64), int(mine.sum()))
    instants, which = np.unique(times, return_inverse=True)
    change = np.bincount(which.reshape(-1), weights=moves, minlength=len(instants)).astype(np.int64)
    return QueueDepth(instants, np.cumsum(change), work.queued[device])
