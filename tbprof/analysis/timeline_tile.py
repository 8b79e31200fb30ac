"""A piece of the timeline at a level of detail.

Time is cut into buckets of `2 ** level` ns, and `TILE_BUCKETS` of them are a tile. A span at
least as long as a bucket stays itself, in every tile that it touches. Shorter ones become
shares: for each bucket and track how much of it they cover, to the ns, and how many of them
begin in it. So nothing is lost at any level, and nothing is drawn that can't be seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from tbprof.analysis.timeline_queue import QueueDepth
from tbprof.analysis.timeline_tracks import Track
from tbprof.trace.columns import Int64s

__all__ = ["TILE_BUCKETS", "Depths", "Shares", "Spans", "Tile", "TilePlace", "cut_tile", "highest_level"]

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
    place: TilePlace, tracks: Iterable[Track], queues: Mapping[int, QueueDepth], origin_ns: int
) -> Tile:
    """Cut these tracks, and the queues by the number of their lane."""
    start_ns = origin_ns + place.start_ns
    touching = [(track, track.during(start_ns, origin_ns + place.end_ns)) for track in tracks]
    some = [(track, where) for track, where in touching if where.start < where.stop]
    edges = start_ns + np.arange(TILE_BUCKETS + 1) * place.bucket_ns
    return Tile(
        place=place,
        spans=_joined_spans([_spans(place, *one, origin_ns) for one in some]),
        shares=_joined_shares([_shares(place, *one, start_ns) for one in some]),
        depths=tuple(Depths(lane, *queue.in_buckets(edges)) for lane, queue in queues.items()),
    )


def _spans(place: TilePlace, track: Track, where: slice, origin_ns: int) -> Spans:
    start, end = track.start_ns[where], track.end_ns[where]
    # Between spans that touch the tile may lie some that ended before it.
    long = np.flatnonzero((end - start >= place.bucket_ns) & (end > origin_ns + place.start_ns))
    at = long + where.start
    lane, line, kind = (np.full(len(at), n, np.int64) for n in (track.lane, track.line, track.kind))
    return Spans(
        lane, line, kind, start[long] - origin_ns, end[long] - origin_ns, track.row[at], track.name[at]
    )


def _shares(place: TilePlace, track: Track, where: slice, start_ns: int) -> Shares:
    start, end = track.start_ns[where] - start_ns, track.end_ns[where] - start_ns
    short = end - start < place.bucket_ns
    start, end = start[short], end[short]
    first = start >> place.level
    edge = (first + 1) << place.level
    # Of a span shorter than a bucket a part may lie in the next one, never more.
    before = np.minimum(end, edge) - start
    covered = _summed(first, before) + _summed(first + 1, end - start - before)
    count = _summed(first, np.ones(len(first), np.int64))
    bucket = np.flatnonzero((covered > 0) | (count > 0))
    lane, line, kind = (np.full(len(bucket), n, np.int64) for n in (track.lane, track.line, track.kind))
    return Shares(lane, line, kind, bucket, covered[bucket], count[bucket])


def _summed(bucket: Int64s, weight: Int64s) -> Int64s:
    """By bucket of the tile; what lies outside it is left out. Exact below 2 ** 53."""
    inside = (bucket >= 0) & (bucket < TILE_BUCKETS)
    sums = np.bincount(bucket[inside], weights=weight[inside], minlength=TILE_BUCKETS)
    return sums.astype(np.int64)


def _joined_spans(parts: list[Spans]) -> Spans:
    return Spans(*(_joined([getattr(part, name) for part in parts]) for name in Spans.__slots__))


def _joined_shares(parts: list[Shares]) -> Shares:
    return Shares(*(_joined([getattr(part, name) for part in parts]) for name in Shares.__slots__))


def _joined(columns: list[Int64s]) -> Int64s:
    return np.concatenate(columns) if columns else np.empty(0, np.int64)
