"""A piece of the timeline at a level of detail.

Time is cut into buckets of `2 ** level` ns, and `TILE_BUCKETS` of them are a tile. A span at
least as long as a bucket stays itself, in every tile that it touches. Shorter ones become
shares: for each bucket and track how much of it they cover, to the ns, and how many of them
begin in it. So nothing is lost at any level, and nothing is drawn that can't be seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from tbprof.analysis.timeline.pyramid import BucketSums, Pyramid, bucket_sums
from tbprof.analysis.timeline.queue import QueueDepth
from tbprof.analysis.timeline.tracks import Track
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int64s

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
    """Those that begin in the bucket; may be 0 where one only reaches into it."""


@dataclass(frozen=True, slots=True, eq=False)
class Depths:
    """The queue of one lane, `TILE_BUCKETS` entries each."""

    lane: int
    most: Int64s
    empty_ns: Int64s


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    place: TilePlace
    spans: Spans
    shares: Shares
    depths: tuple[Depths, ...]


def highest_level(span_ns: int) -> int:
    """The lowest level at which the whole window is one tile."""
    return max((span_ns - 1).bit_length() - _BUCKET_BITS, 0)


def cut_tile(
    place: TilePlace, pyramids: Iterable[Pyramid], queues: Mapping[int, QueueDepth], origin_ns: int
) -> Tile:
    """Cut these tracks, and the queues by the number of their lane."""
    tracks = tuple(pyramids)
    edges = origin_ns + place.start_ns + np.arange(TILE_BUCKETS + 1) * place.bucket_ns
    return Tile(
        place=place,
        spans=_joined_spans([_spans(place, one, origin_ns) for one in tracks]),
        shares=_joined_shares([_shares(place, one, origin_ns) for one in tracks]),
        depths=tuple(Depths(lane, *queue.in_buckets(edges)) for lane, queue in queues.items()),
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
    """Of the tile's buckets, and maybe of some beside them."""
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


def _joined_spans(parts: list[Spans]) -> Spans:
    return Spans(*(_joined([getattr(part, name) for part in parts]) for name in Spans.__slots__))


def _joined_shares(parts: list[Shares]) -> Shares:
    return Shares(*(_joined([getattr(part, name) for part in parts]) for name in Shares.__slots__))


def _joined(columns: list[Int64s]) -> Int64s:
    return np.concatenate(columns) if columns else np.empty(0, np.int64)
